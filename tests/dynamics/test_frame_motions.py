"""Motion of frames by name: against finite differences of positions and matrices, and rotations composed by SciPy."""

from __future__ import annotations

from functools import cache

import casadi as ca
import fmpy
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import control, export, optim
from flexblocks.dae.compiler import find_compiler
from flexblocks.dynamics.algorithms.frame_motions import ROTATION, UNITS
from flexblocks.errors import ComputationError, NameUnknownError
from flexblocks.geometry import shape
from flexblocks.linear.verification.check import check

FRAMES = ("hand", "link", "link.frame_a", "link.station(0.3)", "base", "wrist.frame_a", "wrist")


@cache
def floating_arm() -> fb.DAE:
    """A free base, a beam that bends both ways and twists, and a hand on an oblique wrist."""
    model = fb.Model("floating arm", gravity=(0.0, 0.0, -9.81))
    ground, base = model.add(fb.Ground("ground")), model.add(fb.FreeMotion("base"))
    hull = model.add(fb.RigidBody("hull", mass=30.0, inertia=np.diag([3.0, 4.0, 5.0]), center=(0.1, 0.0, 0.0)))
    joint = model.add(fb.Revolute("joint", axis=(0.0, 0.0, 1.0)))
    modes = {"discretization": fb.AssumedModes(2, tip="free"), "bending": "yz", "torsion": True}
    link = model.add(
        fb.FlexibleBeam(
            "link", length=1.2, material=fb.Material(7e10, 2700.0), section=fb.Tube(outer=0.03, inner=0.002), **modes
        )
    )
    wrist = model.add(fb.Revolute("wrist", axis=(0.6, 0.0, 0.8)))
    hand = model.add(fb.Payload("hand", mass=1.0, inertia=np.diag([0.02, 0.03, 0.04])))
    model.connect(ground.frame_b, base.frame_a)
    model.connect(base.frame_b, hull.frame_a)
    model.connect(base.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(link.frame_b, wrist.frame_a)
    model.connect(wrist.frame_b, hand.frame_a)
    return fb.assemble(model)


@pytest.fixture(scope="module")
def arm() -> fb.DAE:
    return floating_arm()


def values(dae: fb.DAE, frame: str, x: np.ndarray) -> dict[str, float]:
    """Return all quantities of a frame, by the last part of their names."""
    names = [f"{frame}.{quantity}" for quantity in UNITS]
    seen = dae.with_outputs(names)
    y = seen.output(x, np.zeros(len(dae.u)), []).full().ravel()
    return {quantity: y[seen.y.index(name)] for quantity, name in zip(UNITS, names, strict=True)}


def vector(of: dict[str, float], stem: str) -> np.ndarray:
    return np.array([of[f"{stem}{axis}"] for axis in "xyz"])


def matrix(of: dict[str, float]) -> np.ndarray:
    return np.array([of[name] for name in ROTATION]).reshape(3, 3)


@pytest.mark.parametrize("frame", FRAMES)
def test_velocities_are_the_derivatives_of_pose_along_a_motion(arm, frame):
    rng, h = np.random.default_rng(1), 1e-6
    n = arm.tree.size
    q, v = 0.5 * rng.standard_normal(n), rng.standard_normal(n)
    # Names with the frame: of the base itself, angular_velocity_x is the block's own output.
    name = "base.frame_b" if frame == "base" else frame
    here, before, after = (values(arm, name, np.concatenate([q + s * h * v, v])) for s in (0, -1, 1))
    np.testing.assert_allclose(vector(here, "velocity_"), (vector(after, "") - vector(before, "")) / (2 * h), atol=1e-8)
    spin = matrix(here).T @ (matrix(after) - matrix(before)) / (2 * h)
    np.testing.assert_allclose(spin, -spin.T, atol=1e-8)
    expected = [spin[2, 1], spin[0, 2], spin[1, 0]]
    np.testing.assert_allclose(vector(here, "angular_velocity_"), expected, atol=1e-8)


def test_positions_are_those_of_the_drawn_lines(arm):
    x = np.concatenate([0.3 * np.random.default_rng(2).standard_normal(arm.tree.size), np.zeros(arm.tree.size)])
    lines = shape(arm, stations=4)(x)
    np.testing.assert_allclose(vector(values(arm, "link.station(0.3)", x), ""), lines["link"][1], atol=1e-14)
    np.testing.assert_allclose(vector(values(arm, "link", x), ""), lines["link"][-1], atol=1e-14)
    np.testing.assert_allclose(vector(values(arm, "base.frame_a", x), ""), np.zeros(3))


def test_orientation_is_the_product_of_the_turns_of_a_rigid_chain():
    """Composed by SciPy; and its own roll, pitch and yaw."""
    model = fb.Model("wrist")
    before = model.add(fb.Ground("ground")).frame_b
    axes = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (0.6, 0.8, 0.0))
    for i, axis in enumerate(axes):
        joint = model.add(fb.Revolute(f"joint{i}", axis=axis))
        link = model.add(fb.RigidLink(f"link{i}", length=0.4, mass=1.0, inertia=np.diag([0.01, 0.02, 0.02])))
        model.connect(before, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        before = link.frame_b
    dae = fb.assemble(model)
    for seed in range(3):
        q = np.random.default_rng(seed).uniform(-3, 3, 3)
        turns = [Rotation.from_rotvec(angle * np.array(axis)) for angle, axis in zip(q, axes, strict=True)]
        expected = turns[0] * turns[1] * turns[2]
        of = values(dae, "link2", np.concatenate([q, np.zeros(3)]))
        np.testing.assert_allclose(matrix(of), expected.as_matrix(), atol=1e-14)
        np.testing.assert_allclose([of["yaw"], of["pitch"], of["roll"]], expected.as_euler("ZYX"), atol=1e-13)


def test_linearize_refuses_angles_where_they_lock_and_takes_the_matrix():
    dae = raised()
    point = {"joint.angle": -np.pi / 2, "der(joint.angle)": 0.0}
    with pytest.raises(ComputationError, match=r"'link\.roll'.*lock.*link\.rotation_xx"):
        fb.linearize(dae, point, outputs=("link.x", "link.roll"))
    lin = fb.linearize(dae, point, outputs=("link.rotation_xx", "link.angular_velocity_y"))
    # The x axis is upright: it leaves the world's z by -sin(angle) and turns by the joint's rate.
    np.testing.assert_allclose(lin.C, [[1.0, 0.0], [0.0, 1.0]], atol=1e-14)
    nearby = {"joint.angle": -np.pi / 2 + 0.01}
    with pytest.warns(fb.FlexblocksWarning, match="not an equilibrium"):
        angle = fb.linearize(dae, nearby, outputs="link.pitch")
    np.testing.assert_allclose(angle.C, [[1.0, 0.0]], atol=1e-12)


@cache
def raised() -> fb.DAE:
    """A pendulum about the world's y axis."""
    model = fb.Model("raised", gravity=(0.0, 0.0, -9.81))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint", axis=(0.0, 1.0, 0.0)))
    link = model.add(fb.RigidLink("link", length=1.0, mass=1.0, inertia=np.diag([0.01, 0.1, 0.1])))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    return fb.assemble(model)


def test_linear_models_agree_with_the_response(arm):
    """The linearised outputs against differences of the nonlinear ones."""
    dae = subudhi_morris(modes=1)
    lin = fb.linearize(dae, outputs=("payload.velocity_y", "payload.yaw", "link1.rotation_yx"))
    assert lin.output_units == ("m/s", "rad", "1")
    assert check(dae, lin).largest < 1e-6


def test_nobody_pays_who_does_not_ask():
    dae = subudhi_morris()
    assert not any(name.rpartition(".")[2] in ROTATION for name in dae.y.names)
    instructions, dynamics = dae.output.n_instructions(), dae.forward_dynamics
    seen = dae.with_outputs(("payload.velocity_x", "payload.x"))
    assert seen.y.names == (*dae.y.names, "payload.velocity_x")
    assert dae.output.n_instructions() == instructions < seen.output.n_instructions()
    # The same equations: what is derived already is there for both.
    assert seen.forward_dynamics is dynamics
    assert dae.with_outputs(("payload.velocity_x", "payload.x")) is seen
    assert dae.with_outputs(dae.x.names) is dae


def test_unknown_names_are_refused_with_the_nearest(arm):
    for name, nearest in (("hand.velocty_x", "hand.velocity_x"), ("hnd.yaw", "hand"), ("link.staton(0.3).x", "")):
        with pytest.raises(NameUnknownError, match=f"Did you mean {nearest}" if nearest else "link.staton"):
            arm.with_outputs(name)
    with pytest.raises(NameUnknownError, match=r"linearize: outputs: .* Did you mean hand\.velocity_x"):
        fb.linearize(arm, outputs=("hand.velocty_x",))
    with pytest.raises(NameUnknownError, match=r"fmu: outputs: .* Did you mean hand\.velocity_x"):
        export.fmu(arm, "arm.fmu", outputs=("hand.velocty_x",))
    dae = subudhi_morris(modes=0)
    with pytest.raises(NameUnknownError, match=r"nothing to measure: .* Did you mean payload\.velocity_x"):
        control.close_loop(dae, control.PD({"payload.velocty_x": "motor1.torque"}, kp=1.0, kd=0.0))


def test_laws_and_trajectories_use_them(tmp_path):
    """A damper of the tip's speed: the command is -k v along the whole motion, in the file as well."""
    dae = subudhi_morris(modes=1)
    law = control.PD({"payload.velocity_y": "motor2.torque"}, kp=0.3, kd=0.0)
    closed = control.close_loop(dae, law).with_outputs(("payload.velocity_y", "link1.pitch"))
    run = fb.simulate(closed, np.linspace(0.0, 0.2, 21), x0={"der(joint1.angle)": 1.0})
    assert np.ptp(run["payload.velocity_y"]) > 0.1
    np.testing.assert_allclose(run["motor2.torque"], -0.3 * run["payload.velocity_y"], atol=1e-12)
    run.save(tmp_path / "run.csv")
    read = fb.load(tmp_path / "run.csv")
    np.testing.assert_allclose(read["payload.velocity_y"], run["payload.velocity_y"])
    assert read.unit("payload.velocity_y") == "m/s"


@pytest.mark.slow
def test_observers_measure_them_on_bent_links():
    """A gyroscope and a camera at the tip: the poles are those of law and observer, and the estimate finds the arm."""
    dae = subudhi_morris(modes=1)
    measured = ["payload.angular_velocity_z", "payload.yaw", "payload.velocity_y", "joint1.angle"]
    law = control.LQR({"joint1.angle": 50.0, "joint2.angle": 20.0}, R=1.0)
    kalman = control.Kalman(measured, process={"motor1.torque": 1.0, "motor2.torque": 1.0}, noise=1e-4)
    closed = control.close_loop(dae, control.LQG(law, kalman))
    lin = fb.linearize(dae, outputs=measured)
    exact = [np.linalg.eigvals(part) for part in (lin.A - lin.B @ law.gain(dae), lin.A - kalman.gain(lin) @ lin.C)]
    poles, exact = np.sort_complex(np.linalg.eigvals(fb.linearize(closed).A)), np.sort_complex(np.concatenate(exact))
    np.testing.assert_allclose(poles, exact, rtol=1e-5, atol=1e-5 * np.abs(exact).max())
    # C itself, by differences of the outputs.
    seen, h = dae.with_outputs(measured), 1e-6

    def outputs(x: np.ndarray) -> np.ndarray:
        y = seen.output(x, np.zeros(len(dae.u)), []).full().ravel()
        return np.array([y[seen.y.index(name)] if name in seen.y else x[dae.x.index(name)] for name in measured])

    slopes = [(outputs(h * e) - outputs(-h * e)) / (2 * h) for e in np.eye(len(dae.x))]
    np.testing.assert_allclose(lin.C, np.transpose(slopes), atol=1e-7)
    run = fb.simulate(closed, np.linspace(0.0, 4.0, 41), x0={"joint1.angle": 0.02, "joint2.angle": -0.02})
    off = np.abs(run["estimate.joint2.angle"] - run["joint2.angle"])
    assert off[0] > 0.019
    assert off[-1] < 1e-3


def test_plans_limit_speed_of_the_tip():
    dae = subudhi_morris(modes=0).with_outputs("payload.velocity_y")
    ask = {"start": {"joint1.angle": 0.0, "joint2.angle": 0.0}, "goal": {"payload.x": 0.0, "payload.yaw": 2.0}}
    free, held = (
        optim.plan(dae, optim.RestToRest(**ask, duration=2.0, limits=limits), intervals=10)
        for limits in ({"motor1.torque": 3.0}, {"motor1.torque": 3.0, "payload.velocity_y": 0.12})
    )
    fastest = [np.abs(plan.trajectory["payload.velocity_y"]).max() for plan in (free, held)]
    assert fastest[0] > 0.15
    assert fastest[1] < 0.1201
    end = held.trajectory
    np.testing.assert_allclose(end["joint1.angle"][-1] + end["joint2.angle"][-1], 2.0, atol=1e-7)


@pytest.mark.slow
def test_compiled_equations_stay_compiled():
    dae = subudhi_morris(modes=0).compile()
    seen = dae.with_outputs("payload.velocity_x")
    assert seen.motion is dae.motion
    assert isinstance(seen.expressions.output, ca.SX)
    x = np.arange(len(dae.x)) / 10
    np.testing.assert_allclose(seen.output(x, [0, 0], [])[:-1], dae.output(x, [0, 0], []))


@pytest.mark.slow
def test_fmus_have_them_as_outputs(tmp_path):
    """Run by FMPy against the trajectory."""
    if find_compiler() is None:
        pytest.skip("there is no C compiler")
    dae, names = subudhi_morris(modes=1), ("payload.velocity_y", "link2.rotation_xy")
    path = export.fmu(dae, tmp_path / "arm.fmu", kind="CoSimulation", outputs=names)
    start = {"der(joint1.angle)": 1.0}
    there = fmpy.simulate_fmu(
        str(path), stop_time=0.2, output_interval=0.01, start_values=start, output=names, relative_tolerance=1e-11
    )
    here = fb.simulate(dae.with_outputs(names), np.linspace(0.0, 0.2, 21), x0=start)
    for name in names:
        assert np.ptp(here[name]) > 0.01
        np.testing.assert_allclose(there[name], here[name], atol=1e-7)


def test_locked_coordinates_stay_where_they_are():
    """A frame that the equations do not need is evaluated by itself: with the lock's value, not at zero."""
    model = fb.Model("slide", gravity=(0.0, 0.0, -9.81))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint", axis=(0.0, 0.0, 1.0)))
    slide = model.add(fb.Prismatic("slide", axis=(1.0, 0.0, 0.0)))
    body = model.add(fb.Payload("body", mass=1.0, inertia=0.1))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, slide.frame_a)
    model.connect(slide.frame_b, body.frame_a)
    dae = fb.assemble(model, locked={"slide.displacement": 0.7})
    lines = shape(dae)({"joint.angle": np.pi / 2})
    np.testing.assert_allclose(lines["slide"][-1], [0.0, 0.7, 0.0], atol=1e-15)
    of = values(dae, "slide", np.array([np.pi / 2, 2.0]))
    np.testing.assert_allclose(vector(of, ""), [0.0, 0.7, 0.0], atol=1e-15)
    np.testing.assert_allclose(vector(of, "velocity_"), [-1.4, 0.0, 0.0], atol=1e-15)


def test_frames_of_composites_are_those_of_the_blocks_behind_them():
    """Of two hinges in one, and of a geared drive; also where composites are in composites, and in messages."""
    model = fb.Model("arm", gravity=(0.0, 0.0, -9.81))
    ground, shoulder = model.add(fb.Ground("ground")), model.add(fb.Universal("shoulder", start=(0.3, 0.2)))
    link, elbow = model.add(fb.RigidLink("link", 1.0, 1.0)), model.add(fb.FlexibleJoint("elbow", 0.01, 100.0))
    outer = model.add(fb.RigidLink("outer", 0.5, 1.0))
    model.connect(ground.frame_b, shoulder.frame_a)
    model.connect(shoulder.frame_b, link.frame_a)
    model.connect(link.frame_b, elbow.frame_a)
    model.connect(elbow.frame_b, outer.frame_a)
    dae = fb.assemble(model)
    x = dae.x.values({"shoulder.revolute1.angle": 0.4, "elbow.angle": 0.7, "der(elbow.angle)": 2.0})
    behind = {"shoulder": "link.frame_a", "shoulder.frame_a": "ground", "elbow.frame_b": "outer.frame_a"}
    for frame, same in behind.items():
        assert values(dae, frame, x) == pytest.approx(values(dae, same, x), abs=1e-15)
    with pytest.raises(NameUnknownError, match=r"There is no place 'elbo'.* Did you mean elbow\?"):
        dae.with_outputs(("elbo.x",))
