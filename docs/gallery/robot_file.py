# %% [markdown]
# # A robot from its file
#
# A six-axis arm read from URDF: its joints get gears and springs, its forearm bends. The file here is written by this
# page; your own is read in the same way.

# %%
from pathlib import Path

import matplotlib.pyplot as plt

import flexblocks as fb
from flexblocks import optim

SHELL, DARK = 'name="shell"><color rgba="0.93 0.94 0.95 1"/>', 'name="dark"><color rgba="0.16 0.18 0.22 1"/>'


def cylinder(length, radius, xyz="0 0 0", rpy="0 0 0", material=SHELL):
    return (
        f'<visual><origin xyz="{xyz}" rpy="{rpy}"/><geometry><cylinder length="{length}" radius="{radius}"/></geometry>'
        f"<material {material}</material></visual>"
    )


def link(name, mass, center, moments, *shapes):
    ixx, iyy, izz = moments
    return (
        f'<link name="{name}"><inertial><origin xyz="{center}"/><mass value="{mass}"/>'
        f'<inertia ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="0" ixz="0" iyz="0"/></inertial>{"".join(shapes)}</link>'
    )


def joint(name, parent, child, xyz, axis, reach, effort, speed):
    return (
        f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/><origin xyz="{xyz}"/>'
        f'<axis xyz="{axis}"/><limit lower="{-reach}" upper="{reach}" effort="{effort}" velocity="{speed}"/></joint>'
    )


def tool(name, xyz):
    return (
        f'<link name="{name}"/><joint name="{name}_mount" type="fixed"><parent link="hand"/><child link="{name}"/>'
        f'<origin xyz="{xyz}"/></joint>'
    )


ACROSS, ALONG = "1.570796326794897 0 0", "0 1.570796326794897 0"
robot_file = Path("lab_arm.urdf")
robot_file.write_text(
    '<robot name="lab_arm">'
    + link(
        "base",
        12.0,
        "0 0 0.1",
        (0.1, 0.1, 0.1),
        cylinder(0.06, 0.14, "0 0 0.03", material=DARK),
        cylinder(0.24, 0.1, "0 0 0.18"),
    )
    + link(
        "column",
        6.0,
        "0 0 0.06",
        (0.03, 0.03, 0.02),
        cylinder(0.12, 0.095, "0 0 0.03"),
        cylinder(0.24, 0.085, "0 0 0.12", ACROSS, DARK),
    )
    + link(
        "upper_arm",
        5.0,
        "0.3 0 0",
        (0.015, 0.2, 0.2),
        cylinder(0.6, 0.055, "0.3 0 0", ALONG),
        cylinder(0.2, 0.08, "0 0 0", ACROSS),
        cylinder(0.19, 0.07, "0.6 0 0", ACROSS),
    )
    + link("forearm", 2.0, "0.3 0 0", (0.004, 0.06, 0.06))
    + link(
        "wrist",
        1.2,
        "0.04 0 0",
        (0.002, 0.002, 0.002),
        cylinder(0.13, 0.05, "0.0 0 0", ACROSS, DARK),
        cylinder(0.1, 0.042, "0.06 0 0", ALONG),
    )
    + link(
        "hand",
        0.9,
        "0.05 0 0",
        (0.001, 0.001, 0.001),
        cylinder(0.06, 0.04, "0.04 0 0", ALONG, DARK),
        cylinder(0.08, 0.012, "0.1 0.03 0", ALONG),
        cylinder(0.08, 0.012, "0.1 -0.03 0", ALONG),
    )
    + joint("turn", "base", "column", "0 0 0.3", "0 0 1", 2.9, 150, 2.5)
    + joint("shoulder", "column", "upper_arm", "0 0 0.12", "0 1 0", 2.0, 250, 2.0)
    + joint("elbow", "upper_arm", "forearm", "0.6 0 0", "0 1 0", 2.6, 120, 2.5)
    + joint("pitch", "forearm", "wrist", "0.6 0 0", "0 1 0", 2.0, 40, 6.0)
    + joint("roll", "wrist", "hand", "0.1 0 0", "1 0 0", 3.0, 20, 4.0)
    + tool("gripper", "0.14 0 0")
    + "</robot>"
)

# %% [markdown]
# ## The arm
#
# Every joint gets a rotor behind a gear and a spring; the forearm becomes a beam with the mass of the file. A load is
# mounted on a frame of the file, by its name.

# %%
spring = fb.Elastic(stiffness=9e3, damping=6.0, rotor=8e-5, gear_ratio=100.0)
robot = fb.from_urdf(
    robot_file,
    elastic=dict.fromkeys(("turn", "shoulder", "elbow"), spring),
    flexible={"forearm": {"flexural_rigidity": 1.2e3, "discretization": fb.AssumedModes(1), "damping_ratio": 0.01}},
    lock={"roll": 0.0},
    start={"shoulder": -1.2, "elbow": 1.8},
)
load = robot.model.add(fb.Payload("load", mass=2.0, shape=fb.Sphere(radius=0.05, color="#d97706")))
robot.model.connect(robot.frames["gripper"], load.frame_a)
dae = fb.assemble(robot.model)
print(robot)

# %% [markdown]
# ## How it rings
#
# With brakes on, at a stretched posture; springs and forearm share their modes.

# %%
posture = {"turn.rotor.angle": 0.0, "shoulder.rotor.angle": -0.4, "elbow.rotor.angle": 0.5}
braked = fb.assemble(robot.model, locked=posture | {"pitch.angle": 0.3})
print(fb.linearize(braked).modes())

# %% [markdown]
# ## A motion that ends at rest
#
# Angles and speeds keep the limits of the file, torques its efforts.

# %%
plan = optim.plan(
    dae,
    optim.RestToRest(
        start={"turn.angle": -1.0, "shoulder.angle": -1.2, "elbow.angle": 1.8, "pitch.angle": 0.6},
        goal={"turn.angle": 1.0, "shoulder.angle": -0.4, "elbow.angle": 0.5, "pitch.angle": 0.3},
        duration=1.5,
    ),
)
print(plan)
figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
t = plan.trajectory.t
for name in ("turn", "shoulder", "elbow"):
    axes[0].plot(t, plan.trajectory[f"{name}.motor.torque"], label=name)
    axes[1].plot(t, 1e3 * (plan.trajectory[f"{name}.angle"] - plan.trajectory[f"{name}.rotor.angle"]), label=name)
axes[0].set(xlabel="t [s]", ylabel="torque of the motor [N m]")
axes[1].set(xlabel="t [s]", ylabel="wind-up of the spring [mrad]")
axes[0].legend()

# %%
plan.animate()
