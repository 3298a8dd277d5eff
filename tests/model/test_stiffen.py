"""The rigid twin of a model: the limit of infinite stiffness, in the elastic arm's names."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexblocks as fb
from arms.random_arms import ALL_BEAMS, Arm, arms
from flexblocks import control
from flexblocks.errors import ModelError
from flexblocks.interfaces import NOT_NEGATIVE, inlet, outlet, parameter

DOWN = (0.0, -9.81, 0.0)


def followed(arm: Arm, names: tuple[str, ...], twin: tuple[str, ...]) -> np.ndarray:
    """Return the rates of the arm's coordinates by those of its twin, from how the arm was drawn."""
    turns = {f"{s.rotor.name}.angle": (f"{s.joint.name}.angle", s.gear_ratio) for s in arm.segments if s.rotor}
    T = np.zeros((len(names), len(twin)))
    for i, name in enumerate(names):
        joint, ratio = turns.get(name, (name, 1.0))
        if joint in twin:
            T[i, twin.index(joint)] = ratio
    return T


@settings(max_examples=6)
@given(arms(links=2, modes=2, beams=ALL_BEAMS), st.integers(0, 2**32 - 1))
def test_twin_moves_as_the_arm_whose_elastic_coordinates_stand_still(arm, seed):
    """Inertia, gravity and gyroscopic forces are those of the elastic arm, condensed."""
    elastic = fb.assemble(arm.model)
    links = {s.link.name for s in arm.segments}
    undeformed = {name: 0.0 for name in elastic.q_names if name.partition(".")[0] in links}
    stiff, twin = fb.assemble(arm.model, locked=undeformed), fb.assemble(fb.stiffen(arm.model))
    assert twin.u.names == elastic.u.names
    assert set(twin.q_names) <= set(elastic.q_names)
    held = {f"{s.joint.name}.angle" for s in arm.segments if s.drive and isinstance(s.drive[0], fb.Fixed)}
    rotors = {f"{s.rotor.name}.angle" for s in arm.segments if s.rotor}
    assert set(twin.q_names) == set(elastic.q_names) - set(undeformed) - held - rotors
    T = followed(arm, stiff.q_names, twin.q_names)
    q, v, a, _ = arm.random_state(twin, seed)
    M, expected = twin.mass_matrix(q, []).full(), T.T @ stiff.mass_matrix(T @ q, []).full() @ T
    np.testing.assert_allclose(M, expected, rtol=1e-9, atol=1e-11 * max(1.0, abs(expected).max(initial=0.0)))
    force = twin.inverse_dynamics(q, v, a, []).full().ravel()
    condensed = T.T @ stiff.inverse_dynamics(T @ q, T @ v, T @ a, []).full().ravel()
    np.testing.assert_allclose(force, condensed, rtol=1e-9, atol=1e-9 * max(1.0, abs(condensed).max(initial=0.0)))


def two_links(stiffness: float = 4e3, rigidity: float = 4e3) -> fb.Model:
    """A geared arm of two elastic joints and two flexible links, in gravity."""
    model = fb.Model("arm", DOWN)
    place = model.add(fb.Ground("ground")).frame_b
    for i in (1, 2):
        joint = model.add(fb.FlexibleJoint(f"joint{i}", 2e-4, stiffness, gear_ratio=50.0, spring_damping=5.0))
        link = fb.FlexibleBeam(f"link{i}", 0.5, 1.0, rigidity, discretization=fb.AssumedModes(2), damping_ratio=0.02)
        model.add(link)
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        place = link.frame_b
    model.connect(place, model.add(fb.Payload("payload", mass=1.0, inertia=0.01)).frame_a)
    return model


def test_laws_made_for_the_twin_lead_the_elastic_arm():
    """Computed torque of the twin: the error falls with the compliance, and is none of the twin itself."""
    twin = fb.assemble(fb.stiffen(two_links()))
    assert twin.q_names == ("joint1.angle", "joint2.angle")
    law = control.ComputedTorque(kp=100.0, kd=20.0, model=twin)
    goal = {"joint1.angle": 0.8, "joint2.angle": -0.5}
    motion = {name: control.quintic(0.0, angle, 0.8) for name, angle in goal.items()}
    errors = []
    for plant in (two_links(4e3, 4e2), two_links(4e4, 4e3), fb.stiffen(two_links())):
        closed = control.close_loop(fb.assemble(plant), law)
        run = fb.simulate(closed, (0.0, 1.0), control.follow(closed, motion))
        errors.append(max(abs(run[f"error.{name}"]).max() for name in goal))
    assert errors[0] < 0.1
    assert errors[1] < 0.2 * errors[0]
    assert errors[2] < 1e-6


def test_gravity_compensation_of_the_twin_holds_the_elastic_arm():
    """With proportional control of the rotors: they stand at their references, the links hang by their springs."""
    elastic, twin = fb.assemble(two_links(400.0)), fb.assemble(fb.stiffen(two_links(400.0)))
    loops = {f"joint{i}.rotor.angle": f"joint{i}.motor.torque" for i in (1, 2)}
    law = control.PD(loops, kp=800.0, kd=20.0) + control.GravityCompensation(model=twin)
    closed = control.close_loop(elastic, law)
    goal = {"reference.joint1.rotor.angle": 0.4, "reference.joint2.rotor.angle": -0.3}
    rest = fb.equilibrium(closed, u=goal)
    for i in (1, 2):
        load = rest[f"joint{i}.motor.torque"]
        assert rest[f"joint{i}.spring.deflection"] == pytest.approx(-load / 400.0, rel=1e-9)
        # Of links that bend the weight is another by the square of what they sag.
        assert rest[f"joint{i}.rotor.angle"] == pytest.approx(goal[f"reference.joint{i}.rotor.angle"], abs=1e-4)
        assert load > 1.0


def test_stiff_springs_lead_to_the_twin():
    """The slow frequencies of the elastic arm, in the limit."""
    twin = fb.assemble(fb.stiffen(two_links()))
    at = {"joint1.angle": -1.2, "joint2.angle": 0.4}
    slow = frequencies(twin, at)
    for stiffness, off in ((1e5, 1e-3), (1e7, 1e-5)):
        found = frequencies(fb.assemble(two_links(stiffness, stiffness)), at)[:2]
        np.testing.assert_allclose(found, slow, rtol=off)


def frequencies(dae: fb.DAE, at: dict[str, float]) -> np.ndarray:
    """Return the frequencies about a posture [rad/s], each once."""
    poles = np.linalg.eigvals(fb.linearize(dae, fb.equilibrium(dae, at)).A)
    return np.sort(abs(poles.imag))[::2]


def hinged(*series: fb.Block, joint: fb.Block | None = None) -> fb.Model:
    """A load on a hinge, on whose axis shafts in series act."""
    model = fb.Model("hinged", DOWN)
    joint = model.add(fb.Revolute("joint") if joint is None else joint)
    load = model.add(fb.Payload("load", mass=1.0, inertia=(0.02,) * 3, center=(0.5, 0.0, 0.0)))
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(joint.frame_b, load.frame_a)
    add_drive(model, *series)
    return model


def add_drive(model: fb.Model, *series: fb.Block) -> None:
    place = None
    for block in series:
        model.add(block)
        if place is not None:
            model.connect(place, block.flange_a)
        place = block.flange_b
    if place is not None:
        model.connect(place, model.blocks["joint"].axis)


MOTOR, ROTOR = fb.TorqueSource("motor"), fb.Rotor("rotor", inertia=0.01, gear_ratio=3.0)
SPRING, WALL = fb.TorsionalSpring("spring", stiffness=50.0, damping=0.1), fb.Fixed("wall")


def test_a_spring_to_the_wall_holds_what_no_motor_turns():
    assert fb.assemble(fb.stiffen(hinged(WALL, SPRING))).q_names == ()


@pytest.mark.parametrize("drive", [(MOTOR,), (fb.PDServo("servo", kp=10.0),), (MOTOR, ROTOR, SPRING)])
def test_a_spring_to_the_wall_stays_where_it_balances_a_driven_shaft(drive):
    """Whatever the order in which the blocks were added."""
    balance = fb.TorsionalSpring("balance", stiffness=4.0)
    for first, second in ((drive, (WALL, balance)), ((WALL, balance), drive)):
        model = hinged(*first)
        add_drive(model, *second)
        twin = fb.stiffen(model)
        assert twin.blocks["balance"] == balance
        dae = fb.assemble(twin)
        assert dae.q_names == ("joint.angle",)
        # The spring's torque is there, and that of the rotor's inertia.
        inertia = 0.27 + (0.09 if ROTOR in drive else 0.0)
        servo = 10.0 * 0.3 if MOTOR not in drive else 0.0
        expected = 2.0 * inertia + 4.0 * 0.3 + servo + 0.5 * 9.81 * np.cos(0.3)
        rigid = dae.inverse_dynamics([0.3], [0.0], [2.0], []).full().item()
        assert rigid == pytest.approx(expected, rel=1e-12)


def test_two_motors_on_one_joint_turn_one_coordinate():
    model = hinged(MOTOR, ROTOR, SPRING)
    add_drive(
        model,
        replace(MOTOR, name="motor2"),
        replace(ROTOR, name="rotor2"),
        fb.Backlash("teeth", stiffness=1e3, play=1e-3),
    )
    dae = fb.assemble(fb.stiffen(model))
    assert dae.q_names == ("joint.angle",)
    assert dae.mass_matrix([0.0], []).full().item() == pytest.approx(0.27 + 2 * 0.09)
    assert {"spring.deflection", "teeth.deflection"} <= set(dae.y.names)


def test_what_is_not_elastic_stays_and_a_twin_is_its_own():
    model = hinged(MOTOR, ROTOR, SPRING)
    add_drive(model, fb.LuGreFriction("bristles", stiffness=1e3, coulomb=0.1, stribeck_velocity=0.1))
    add_drive(model, fb.EndStops("stops", lower=-1.0, upper=1.0, stiffness=100.0))
    anchor = model.add(fb.FixedTransform("anchor", (0.3, 0.5, 0.0)))
    model.connect("ground.frame_b", anchor.frame_a)
    for block in (fb.SpringDamper("coil", stiffness=40.0), fb.Cable("rope", length=0.6, rigidity=1e4)):
        model.add(block)
        model.connect(anchor.frame_b, block.frame_a)
        model.connect(block.frame_b, "load.frame_a")
    twin = fb.stiffen(model)
    changed = {name for name, block in twin.blocks.items() if block is not model.blocks[name]}
    assert changed == {"spring"}
    assert fb.stiffen(twin).blocks == twin.blocks


def test_twin_is_kept_in_files(tmp_path):
    twin = fb.stiffen(two_links())
    twin.save(tmp_path / "twin.yaml")
    loaded = fb.load(tmp_path / "twin.yaml")
    assert loaded.blocks == twin.blocks
    assert loaded.blocks["joint1"].stiffness is None


def test_rotors_of_the_twin_stay_symbolic():
    dae = fb.assemble(fb.stiffen(two_links()), symbolic=("joint1.inertia", "payload.mass"))
    M = [dae.mass_matrix([0.1, 0.2], [inertia, 1.0]).full() for inertia in (2e-4, 3e-4)]
    np.testing.assert_allclose(M[1] - M[0], [[1e-4 * 50.0**2, 0.0], [0.0, 0.0]], atol=1e-12)


@pytest.mark.parametrize("discretization", [fb.AssumedModes(2, tip="auto"), fb.FiniteElements(2)])
def test_a_sliding_beam_slides_on(discretization):
    properties = {"torsion": True, "torsional_rigidity": 3.0, "polar_inertia": 0.02, "damping": 0.3}
    beam = fb.SlidingBeam("beam", 1.0, 0.8, 5.0, discretization, bending="yz", damping_ratio=0.01, **properties)
    model = fb.Model("slide", DOWN)
    joint, load = model.add(fb.Revolute("joint")), model.add(fb.Payload("load", mass=0.5, inertia=(0.01, 0.02, 0.02)))
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(joint.frame_b, model.add(beam).frame_a)
    model.connect(beam.frame_b, load.frame_a)
    twin, elastic = fb.assemble(fb.stiffen(model)), fb.assemble(model)
    assert twin.q_names == ("joint.angle", "beam.displacement")
    locked = {name: 0.0 for name in elastic.q_names if name not in twin.q_names}
    straight = fb.assemble(model, locked=locked)
    q, v, a = [0.3, 0.6], [0.5, -0.4], [0.2, 0.1]
    forces = [dae.inverse_dynamics(q, v, a, []).full() for dae in (twin, straight)]
    np.testing.assert_allclose(*forces, rtol=1e-12)


@dataclass(frozen=True)
class Shoulder(fb.Composite):
    """Two elastic joints at right angles."""

    stiffness: float | None = parameter("N m/rad", NOT_NEGATIVE, optional=True)
    ports = (inlet(), outlet())

    def parts(self):
        axes = {"yaw": (0, 0, 1), "pitch": (0, 1, 0)}
        return tuple(fb.FlexibleJoint(name, 0.02, self.stiffness, axis=axis) for name, axis in axes.items())

    def connections(self):
        return (("yaw.frame_b", "pitch.frame_a"),)

    def exposed(self):
        return {"frame_a": "yaw.frame_a", "frame_b": "pitch.frame_b"}


class Telling(Shoulder):
    """The same, which says what it is without its springs."""

    def stiffened(self):
        return replace(self, stiffness=None)


def test_composites_of_a_users_own_say_what_they_are_without_elasticity():
    twin = fb.assemble(fb.stiffen(hinged(joint=Telling("joint", 50.0))))
    assert twin.q_names == ("joint.yaw.angle", "joint.pitch.angle")
    with pytest.raises(ModelError, match=r"Shoulder 'joint': has elastic parts \(yaw, pitch\).*stiffened\(self\)"):
        fb.stiffen(hinged(joint=Shoulder("joint", 50.0)))
    with pytest.raises(ModelError, match="has no Ground"):
        fb.stiffen(fb.Model("nothing"))


def test_a_spring_with_a_free_angle_stays():
    model = fb.Model("counterbalance")
    ground, hinge, rod = (
        model.add(fb.Ground("ground")),
        model.add(fb.Revolute("hinge")),
        model.add(fb.LumpedMass("m", 1.0)),
    )
    fixed, spring = model.add(fb.Fixed("fixed")), model.add(fb.TorsionalSpring("spring", 10.0, free_angle=0.5))
    arm = model.add(fb.FixedTransform("arm", (1.0, 0.0, 0.0)))
    for one, other in ((ground.frame_b, hinge.frame_a), (hinge.frame_b, arm.frame_a), (arm.frame_b, rod.frame_a)):
        model.connect(one, other)
    model.connect(fixed.flange_b, spring.flange_a)
    model.connect(spring.flange_b, hinge.axis)
    assert fb.stiffen(model)["spring"] == spring
    assert fb.equilibrium(fb.assemble(model))["hinge.angle"] == pytest.approx(0.5)
