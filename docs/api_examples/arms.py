"""Examples of blocks and of what is done with models."""

# %%
import tempfile
from pathlib import Path

import numpy as np

import flexblocks as fb
from flexblocks import models

folder = Path(tempfile.mkdtemp())


def on_a_hinge(*blocks: fb.Block) -> tuple[fb.Model, fb.RigidLink]:
    """Return a rigid link on a hinge in gravity, with further blocks added, not yet connected."""
    model = fb.Model("arm", gravity=(0.0, -9.81, 0.0))
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge"))
    link = model.add(fb.RigidLink("link", length=0.5, mass=1.0))
    model.connect(ground.frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, link.frame_a)
    for block in blocks:
        model.add(block)
    return model, link


# %% load
models.subudhi_morris_2002().save(folder / "arm.yaml")
model = fb.load(folder / "arm.yaml")
print(model.check())

# %% stiffen
twin = fb.stiffen(models.subudhi_morris_2002())
print(fb.assemble(twin).q_names)  # ('joint1.angle', 'joint2.angle'): rotors turn with the joints, links are rigid

# %% rediscretize
rigid = fb.rediscretize(models.subudhi_morris_2002(), fb.Rigid())
finer = fb.rediscretize(models.subudhi_morris_2002(), {"link1": fb.FiniteElements(4)})
print(len(fb.assemble(rigid).x), len(fb.assemble(finer).x))

# %% denavit_hartenberg DHRow
rows = [fb.DHRow(d=0.4, alpha=np.pi / 2), fb.DHRow(a=0.5), fb.DHRow(a=0.3)]
model = fb.Model("three joints")
place = model.add(fb.Ground("ground")).frame_b
for joint, offset in fb.denavit_hartenberg(rows):
    model.connect(place, model.add(joint).frame_a)
    model.connect(joint.frame_b, model.add(offset).frame_a)
    place = offset.frame_b
model.connect(place, model.add(fb.Payload("tool", mass=1.0, inertia=(0.01, 0.01, 0.01))).frame_a)

# %% DampingChoice choose_damping
choice = fb.choose_damping(models.subudhi_morris_2002(), ratio=0.01)  # of the arm's own modes, not of clamped beams
damped = choice.model
print(choice)

# %% OperatingPoint
dae = fb.assemble(models.yu_chen_2019())
point = fb.equilibrium(dae, x={"joint1.angle": 0.5, "joint2.angle": -0.5})
print(point["motor1.torque"], point["mass2.y"])
lin = fb.linearize(dae, point)

# %% Section ISection
beam = fb.FlexibleBeam(
    "girder",
    6.0,
    section=fb.ISection(height=0.3, width=0.15, web=0.007, flange=0.010),
    material=fb.Material(density=7850.0, youngs_modulus=2.1e11, poissons_ratio=0.3),
    discretization=fb.AssumedModes(2, tip="auto"),
)

# %% Discretization
fidelities: list[fb.Discretization] = [fb.Rigid(), fb.AssumedModes(2), fb.FiniteElements(3), fb.StrainModes(2)]
for discretization in fidelities:
    model = fb.rediscretize(models.subudhi_morris_2002(links=1), discretization)
    print(discretization, len(fb.assemble(model).x))

# %% Composite
model = fb.Model("arm")
joint = model.add(
    fb.FlexibleJoint("joint", inertia=0.05, stiffness=800.0)
)  # a Composite: motor, rotor, spring and hinge
print([part.name for part in joint.parts()], joint.exposed())

# %% Contact
model, link = on_a_hinge(fb.Contact("floor", stiffness=1e4, transition=1e-3, normal=(0.0, 1.0, 0.0), damping=50.0))
floor = model.add(fb.FixedTransform("floor_height", (0.0, -0.3, 0.0)))
model.connect("ground.frame_b", floor.frame_a)
model.connect(floor.frame_b, "floor.frame_a")
model.connect(link.frame_b, "floor.frame_b")
run = fb.simulate(fb.assemble(model), (0.0, 0.4))

# %% DCMotor
model, _ = on_a_hinge(fb.DCMotor("motor", resistance=1.0, inductance=2e-3, constant=0.5, limit=24.0))
model.connect("motor.flange_b", "hinge.axis")
dae = fb.assemble(model)
print(dae.x.names, dae.u.names)  # the current is a state, the voltage the input

# %% Fixed
model, _ = on_a_hinge(fb.TorsionalSpring("spring", stiffness=20.0), fb.Fixed("wall"))
model.connect("wall.flange_b", "spring.flange_a")  # the spring pulls the hinge back to its zero
model.connect("spring.flange_b", "hinge.axis")

# %% FixedTranslation
wall = fb.FixedTranslation("wall")  # the same for a slide: a flange that does not move
print(wall.flange_b)

# %% Rack
model = fb.Model("gantry")
blocks = fb.Ground("ground"), fb.Prismatic("rail", axis=(1.0, 0.0, 0.0)), fb.Payload("carriage", mass=20.0)
ground, rail, carriage = (model.add(block) for block in blocks)
motor, rotor = model.add(fb.TorqueSource("motor", limit=2.0)), model.add(fb.Rotor("rotor", inertia=1e-3))
rack = model.add(fb.Rack("rack", radius=0.02))  # or a screw: its lead / (2 pi)
model.connect(ground.frame_b, rail.frame_a)
model.connect(rail.frame_b, carriage.frame_a)
model.connect(motor.flange_b, rotor.flange_a)
model.connect(rotor.flange_b, rack.flange_a)
model.connect(rack.flange_b, rail.axis)
print(fb.assemble(model).mass_matrix([0.0], []))  # 20 kg, and 1e-3/0.02^2 of the rotor

# %% DrivenRevolute DrivenPrismatic TranslationalGear
crane = fb.Model("telescope", gravity=(0.0, 0.0, -9.81))
post = crane.add(fb.Ground("post"))
luff = crane.add(fb.DrivenRevolute("luff", axis=(0.0, 1.0, 0.0), limit=2e3, low=-1.4, high=0.0, start=-0.5))
first = crane.add(fb.DrivenPrismatic("first", axis=(1.0, 0.0, 0.0), limit=800.0, low=0.0, high=1.5))
second = crane.add(fb.Prismatic("second", axis=(1.0, 0.0, 0.0)))
tackle = crane.add(fb.TranslationalGear("tackle", ratio=1.0))  # the second stage moves as far as the first
for name, place in (("stage", first), ("tip", second)):
    part = crane.add(fb.RigidBody(name, mass=5.0, inertia=(0.1, 1.0, 1.0), center=(0.5, 0.0, 0.0)))
    crane.connect(place.frame_b, part.frame_a)
crane.connect(post.frame_b, luff.frame_a)
crane.connect(luff.frame_b, first.frame_a)
crane.connect(first.frame_b, second.frame_a)
crane.connect(first.flange, tackle.flange_a)
crane.connect(tackle.flange_b, second.axis)
print(fb.assemble(crane).u.names)  # luff.motor.torque, first.motor.force

# %% from_urdf Robot Elastic
from pathlib import Path

INERTIAL = """<inertial><origin xyz="0.2 0 0"/><mass value="2"/>
<inertia ixx="0.01" iyy="0.03" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial>"""
Path("arm.urdf").write_text(f"""<robot name="arm"><link name="base"/><link name="arm">{INERTIAL}</link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="2" effort="40" velocity="3"/></joint></robot>""")
robot = fb.from_urdf("arm.urdf", elastic={"shoulder": fb.Elastic(stiffness=2e3, rotor=1e-4, gear_ratio=80.0)})
print(robot.inputs["shoulder"], robot.coordinates["shoulder"], robot.left_out)

# %% from_mjcf
Path("arm.xml").write_text("""<mujoco model="arm"><worldbody><body name="arm"><joint name="shoulder" axis="0 1 0"/>
<geom type="capsule" size="0.04 0.2" mass="2"/></body></worldbody>
<actuator><position joint="shoulder" kp="200"/></actuator></mujoco>""")
robot = fb.from_mjcf("arm.xml")  # by MuJoCo: pip install 'flexblocks[robots]'
print(fb.assemble(robot.model).u.names)  # shoulder_servo.reference

# %% EndStops
model, _ = on_a_hinge(fb.EndStops("stops", lower=-1.2, upper=1.2, stiffness=4e3, damping=0.5))
model.connect("stops.flange_b", "hinge.axis")
run = fb.simulate(fb.assemble(model), (0.0, 2.0))
print(run["stops.torque"].max())  # [N m], as the link falls on the lower one

# %% Backlash
model, _ = on_a_hinge(
    fb.TorqueSource("motor", limit=40.0), fb.Rotor("rotor", 0.05), fb.Backlash("teeth", 5e3, play=0.004)
)
model.connect("motor.flange_b", "rotor.flange_a")
model.connect("rotor.flange_b", "teeth.flange_a")
model.connect("teeth.flange_b", "hinge.axis")
print(fb.assemble(model).x.names)  # rotor and hinge have an angle each

# %% LuGreFriction
model, _ = on_a_hinge(fb.LuGreFriction("friction", stiffness=500.0, coulomb=0.3, breakaway=0.5, damping=0.5))
model.connect("friction.flange_b", "hinge.axis")
print(fb.assemble(model).x.names)  # the mean deflection of the bristles is a state

# %% ForceSensor
model = fb.Model("arm on a sensor", gravity=(0.0, -9.81, 0.0))
ground, sensor, hinge = (
    model.add(fb.Ground("ground")),
    model.add(fb.ForceSensor("sensor")),
    model.add(fb.Revolute("hinge")),
)
link = model.add(fb.RigidLink("link", length=0.5, mass=1.0))
for inner, outer in ((ground, sensor), (sensor, hinge), (hinge, link)):
    model.connect(inner.frame_b, outer.frame_a)
run = fb.simulate(fb.assemble(model), (0.0, 1.0))
print(run["sensor.force_y"].max())  # [N], what the arm exerts on the ground

# %% Cuboid Cylinder Sphere Mesh
arm = fb.RigidLink("arm", length=0.8, mass=1.0, shape=fb.Cuboid(size=(0.8, 0.1, 0.06), position=(0.4, 0.0, 0.0)))
drum = fb.RigidBody(
    "drum", 4.0, (0.02, 0.02, 0.01), shape=(fb.Cylinder(0.1, 0.3), fb.Sphere(0.1, position=(0.0, 0.0, 0.15)))
)
tool = fb.Payload("tool", mass=0.5, shape=fb.Mesh("tool.stl", scale=0.001, color="#c0392b"))  # drawn in millimetres

# %% Gimbal Universal Spherical
model = fb.Model("hanging bar", gravity=(0.0, 0.0, -9.81))
ground, ball = model.add(fb.Ground("ground")), model.add(fb.Spherical("ball"))  # or fb.Universal, fb.Gimbal
bar = model.add(fb.RigidBody("bar", 2.0, ((0.01, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1)), center=(0.5, 0.0, 0.0)))
model.connect(ground.frame_b, ball.frame_a)
model.connect(ball.frame_b, bar.frame_a)
run = fb.simulate(fb.assemble(model), (0.0, 1.0), x0={"ball.rotation_y": 0.3})

# %% SpringDamper ForceElement
model, link = on_a_hinge(fb.SpringDamper("spring", stiffness=200.0, damping=5.0, free_length=0.3))
anchor = model.add(fb.FixedTransform("anchor", (0.5, 0.4, 0.0)))
model.connect("ground.frame_b", anchor.frame_a)
model.connect(anchor.frame_b, "spring.frame_a")
model.connect(link.frame_b, "spring.frame_b")
print(fb.equilibrium(fb.assemble(model))["hinge.angle"])

# %% WorldForce WorldTorque
model, link = on_a_hinge(fb.WorldForce("wind"), fb.WorldTorque("twist"))
model.connect(link.frame_b, "wind.frame_a", "twist.frame_a")
dae = fb.assemble(model)
run = fb.simulate(dae, (0.0, 1.0), u={"wind.force_y": 9.81 / 2})  # [N], in world axes

# %% piecewise_constant PiecewisePolynomial
steps = fb.piecewise_constant([0.0, 0.2, 0.5], [1.0, -1.0, 0.0])  # from each time on
run = fb.simulate(dae, (0.0, 1.0), u={"twist.torque_z": steps})

# %% Signal
pulse = fb.Signal(lambda t: 1.0 if t < 0.3 else 0.0, breakpoints=[0.3])  # where it jumps, the integration is split
run = fb.simulate(dae, (0.0, 1.0), u={"twist.torque_z": pulse})

# %% SimulationError
try:
    fb.simulate(dae, (0.0, 1.0), max_steps=5)
except fb.SimulationError as error:
    print(error.time, error.trajectory.complete)  # what was reached is there

# %% FlexblocksError
try:
    fb.RigidLink("link", length=-0.5, mass=1.0)
except fb.FlexblocksError as error:
    print(error)  # RigidLink 'link': length = -0.5; must be > 0 [m].

# %% FlexblocksWarning
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("error", fb.FlexblocksWarning)  # what may not be intended, stops
    fb.assemble(models.subudhi_morris_2002())

# %% models.tendon_arm models.hoist_crane
arm = models.tendon_arm(length=0.3, discs=6)

# %% buckling_load BucklingLoad
model = fb.Model("mast")
ground, load = model.add(fb.Ground("ground")), model.add(fb.WorldForce("load"))
mast = fb.FlexibleBeam("mast", length=2.0, linear_density=0.5, flexural_rigidity=40.0, discretization=fb.StrainModes(3))
model.connect(ground.frame_b, model.add(mast).frame_a)
model.connect(mast.frame_b, load.frame_a)
found = fb.buckling_load(fb.assemble(model), "load.force_x")
print(found.load, found.kind)
# %% BodyFile FlexibleBody ReducedBody
import skfem

mesh = skfem.MeshHex.init_tensor(np.linspace(0, 0.4, 5), np.linspace(-0.01, 0.01, 2), np.linspace(-0.02, 0.02, 3))
body = fb.FlexibleBody.from_mesh(
    mesh,
    fb.Material(density=2700.0, youngs_modulus=70e9),
    interfaces={"frame_a": lambda x: x[0] < 1e-9, "frame_b": lambda x: x[0] > 0.4 - 1e-9},
    modes=6,
)
body.save(folder / "link.npz")
link = fb.ReducedBody("link", body=fb.BodyFile(folder / "link.npz"), modes=2, stiffening=True)
print(link.body == body)  # True
