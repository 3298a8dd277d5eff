"""Free motion and ball joints in every attitude: quaternions, momenta, invariance, charts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from fmpy import simulate_fmu
from fmpy.validation import validate_fmu
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import flexblocks as fb
from arms.chains import chain
from arms.fmu_arms import KINDS, VERSIONS
from flexblocks import control, export
from flexblocks.dae import compiler
from flexblocks.interfaces.variables import variables

INERTIA = np.diag([0.1, 0.2, 0.25])
TUMBLE = {"der(base.rotation_x)": 0.1, "der(base.rotation_y)": 1.5, "der(base.rotation_z)": 0.3}
AXES = "xyz"


@cache
def tumbler(**start) -> fb.DAE:
    return fb.assemble(chain(fb.FreeMotion("base", **start), fb.RigidBody("body", 2.0, INERTIA), gravity=(0, 0, 0)))


def attitudes(run: fb.Trajectory, joint: str = "base") -> Rotation:
    """Return the attitude at every sample; modified Rodrigues parameters are a quarter of the coordinates."""
    return Rotation.from_mrp(np.column_stack([run[f"{joint}.rotation_{axis}"] for axis in AXES]) / 4)


def angular_velocity(run: fb.Trajectory, joint: str = "base") -> np.ndarray:
    return np.column_stack([run[f"{joint}.angular_velocity_{axis}"] for axis in AXES])


def by_quaternions(
    start: Rotation,
    omega: np.ndarray,
    t: np.ndarray,
    torque: Callable[[float, np.ndarray], np.ndarray] = lambda _, w: 0 * w,
    **options: float,
) -> tuple[Rotation, np.ndarray]:
    """Integrate Euler's equations with a quaternion, by SciPy."""

    def rates(now: float, y: np.ndarray) -> np.ndarray:
        (x, y_, z, s), w = y[:4], y[4:]
        turning = np.array([[s, -z, y_], [z, s, -x], [-y_, x, s], [-x, -y_, -z]]) @ w / 2
        return np.r_[turning, np.linalg.solve(INERTIA, torque(now, w) - np.cross(w, INERTIA @ w))]

    y = solve_ivp(rates, (t[0], t[-1]), np.r_[start.as_quat(), omega], "DOP853", t, rtol=1e-11, atol=1e-12, **options).y
    return Rotation.from_quat(y[:4].T), y[4:].T


@pytest.mark.parametrize("method", ["auto", "dop853"])
def test_tumbling_body_against_quaternions_for_a_minute(method):
    run = fb.simulate(tumbler(orientation=(0.5, -1.0, 2.0)), np.linspace(0, 60, 601), x0=TUMBLE, method=method)
    omega = angular_velocity(run)
    R, expected = by_quaternions(attitudes(run)[0], omega[0], run.t)
    np.testing.assert_allclose(omega, expected, atol=1e-5)
    assert (attitudes(run) * R.inv()).magnitude().max() < 1e-5
    # It turns through every attitude several times, and the coordinates stay far from their singularity.
    assert np.sum(np.linalg.norm(omega, axis=1)) * 0.1 > 20 * np.pi
    assert np.abs(np.linalg.norm(run.x[:, 3:6], axis=1)).max() < 4 * np.tan(np.radians(285) / 4)


@pytest.mark.parametrize("times", [(0.0, 30.0), [0.0, 15.0, 30.0]], ids=["dense", "sparse"])
def test_attitude_after_many_turns_from_rest_in_one_stride(times):
    """A wheel drives its carrier from rest through 14 turns; the integrator does not know of them beforehand."""
    wheel = fb.RigidBody("wheel", 0.5, np.diag([0.01, 0.01, 0.02]))
    model = chain(fb.FreeMotion("base"), fb.RigidBody("body", 2.0, INERTIA), gravity=(0, 0, 0))
    hinge, motor = model.add(fb.Revolute("hinge")), model.add(fb.TorqueSource("motor"))
    model.connect("body.frame_b", hinge.frame_a)
    model.connect(hinge.frame_b, model.add(wheel).frame_a)
    model.connect(motor.flange_b, hinge.axis)
    run = fb.simulate(fb.assemble(model), times, u={"motor.torque": 0.05}, method="dop853")
    expected = Rotation.from_rotvec([0.0, 0.0, -0.05 / INERTIA[2, 2] * 30**2 / 2])
    assert (attitudes(run)[-1] * expected.inv()).magnitude() < 1e-6


def floating_arm(**start) -> fb.Model:
    """A satellite of 200 kg with an elastic arm of two links of 3 m and a payload."""
    rigidity = {"linear_density": 2.0, "flexural_rigidity": 300.0, "discretization": fb.AssumedModes(2, tip="auto")}
    model = chain(
        fb.FreeMotion("base", **start),
        fb.RigidBody("body", 200.0, np.diag([10.0, 20.0, 25.0]), reach=(1.0, 0.3, 0.0)),
        fb.Revolute("joint1", axis=(0, 0, 1)),
        fb.FlexibleBeam("link1", 3.0, flexural_rigidity_z=300.0, bending="yz", **rigidity),
        fb.Revolute("joint2", axis=(0, 1, 0), start=0.5),
        fb.FlexibleBeam("link2", 3.0, bending="z", **rigidity),
        fb.Payload("payload", 20.0, np.diag([1.0, 1.0, 2.0])),
        gravity=(0, 0, 0),
    )
    for i in (1, 2):
        model.connect(model.add(fb.TorqueSource(f"motor{i}")).flange_b, f"joint{i}.axis")
    model.add(fb.TotalMomentum("total"))
    return model


def totals(run: fb.Trajectory, name: str) -> np.ndarray:
    return np.column_stack([run[f"total.{name}_{axis}"] for axis in AXES])


def test_floating_arm_keeps_its_momenta():
    dae = fb.assemble(floating_arm(position=(1.0, 2.0, 3.0), orientation=(0.5, -1.0, 2.0)))
    torques = {"motor1.torque": fb.piecewise_linear([0, 2, 4], [0, 20, 0]), "motor2.torque": 3.0}
    start = {"der(base.rotation_x)": 0.3, "der(base.displacement_y)": 0.3}
    run = fb.simulate(dae, np.linspace(0, 4, 41), u=torques, x0=start, rtol=1e-12, atol=1e-13)
    assert np.ptp(run["joint1.angle"]) > 0.5
    for name in ("momentum", "angular_momentum"):
        values = totals(run, name)
        assert np.linalg.norm(values[0]) > 10
        np.testing.assert_allclose(values, np.tile(values[0], (len(run.t), 1)), atol=1e-9 * np.linalg.norm(values[0]))
    # The centre of mass moves on a straight line, at the speed of the momentum.
    assert run["total.mass"][0] == pytest.approx(200 + 2 * 6 + 20)
    moved = totals(run, "center")[-1] - totals(run, "center")[0]
    np.testing.assert_allclose(moved, 4 * totals(run, "momentum")[0] / run["total.mass"][0], atol=1e-8)


def test_totals_of_bodies_at_known_places():
    model = fb.Model("two bodies")
    model.add(fb.Ground("ground"))
    for name, place in (("a", (1.0, 0.0, 0.0)), ("b", (-1.0, 0.0, 0.0))):
        model.add(fb.FreeMotion(f"free_{name}", position=place))
        model.add(fb.RigidBody(f"body_{name}", 1.0 if name == "a" else 3.0, 0.1 * np.eye(3)))
        model.connect("ground.frame_b", f"free_{name}.frame_a")
        model.connect(f"free_{name}.frame_b", f"body_{name}.frame_a")
    model.add(fb.TotalMomentum("total"))
    dae = fb.assemble(model)
    rates = {"der(free_a.displacement_y)": 2.0, "der(free_b.displacement_z)": 3.0, "der(free_a.rotation_z)": 5.0}
    y = dict(zip(dae.y.names, dae.output(dae.x.values(rates), [], []).full().ravel(), strict=True))
    assert [y[f"total.center_{k}"] for k in AXES] == pytest.approx([-0.5, 0, 0])
    assert [y[f"total.momentum_{k}"] for k in AXES] == pytest.approx([0, 2, 9])
    # r x m v about the centre: (1.5, 0, 0) x (0, 2, 0) + (-0.5, 0, 0) x (0, 0, 9) + (0, 0, 0.1 * 5).
    assert [y[f"total.angular_momentum_{k}"] for k in AXES] == pytest.approx([0, 4.5, 3.5])


def test_linearized_satellite_has_the_same_poles_in_every_attitude():
    rng = np.random.default_rng(4)
    expected = None
    for turn in (Rotation.identity(), Rotation.random(rng=rng), Rotation.from_rotvec([0, np.pi, 0])):
        lin = fb.linearize(fb.assemble(floating_arm(orientation=turn.as_matrix())))
        assert lin.A.shape == (28, 28)
        frequencies = np.sort([mode.frequency for mode in lin.modes()])
        expected = frequencies if expected is None else expected
        np.testing.assert_allclose(frequencies, expected, atol=1e-5)
        assert np.sum(frequencies < 1e-4) == 8  # six of the satellite, two hinges


def test_linearized_tumbling_body_is_that_of_finite_differences():
    dae = tumbler()
    rng = np.random.default_rng(5)
    for _ in range(4):
        x = np.r_[rng.uniform(-3, 3, 6), rng.uniform(-1, 1, 6)]
        with pytest.warns(fb.FlexblocksWarning, match="not an equilibrium"):
            lin = fb.linearize(dae, at=dict(zip(dae.x.names, x, strict=True)))
        assert lin.A.shape == (12, 12)
        steps = np.array(
            [
                (dae.forward_dynamics(x + h, [], []) - dae.forward_dynamics(x - h, [], [])).full().ravel() / 2e-6
                for h in 1e-6 * np.eye(12)
            ]
        ).T
        np.testing.assert_allclose(lin.A, steps, atol=1e-7)


def test_pendulum_on_a_ball_joint_comes_to_rest_below():
    """From any attitude: through upright, where three hinges lock."""
    bob = fb.RigidBody("bob", 1.0, 0.01 * np.eye(3), center=(0.3, 0.0, 0.0))
    dae = fb.assemble(chain(fb.Spherical("ball", damping=0.3), bob, gravity=(0, 0, -9.81)))
    for start in ((0.0, 0.0, 0.0), (0.0, -1.5, 0.2), (2.0, -2.0, 1.0)):
        rest = dict(zip(("ball.rotation_x", "ball.rotation_y", "ball.rotation_z"), start, strict=True))
        run = fb.simulate(dae, (0.0, 30.0), x0=rest)
        np.testing.assert_allclose(attitudes(run, "ball")[-1].apply([1, 0, 0]), [0, 0, -1], atol=1e-3)
        # What friction takes is what the weight gave.
        height = 0.3 * attitudes(run, "ball").apply([1, 0, 0])[:, 2]
        lost = -np.diff(run["kinetic_energy"] + 9.81 * height).sum()
        taken = np.trapezoid(0.3 * np.sum(angular_velocity(run, "ball") ** 2, axis=1), run.t)
        assert lost == pytest.approx(taken, rel=1e-3)


@pytest.mark.skipif(compiler.find_compiler() is None, reason="there is no C compiler")
@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_an_fmu_changes_its_chart(version: str, tmp_path: Path):
    dae = tumbler()
    run = fb.simulate(dae, np.linspace(0, 20, 2001), x0=TUMBLE, rtol=1e-12, atol=1e-13)
    jumps = np.abs(np.diff(run["base.rotation_y"])) > 1
    assert jumps.sum() >= 2
    path = str(export.fmu(dae, tmp_path / "tumbler.fmu", version))
    assert validate_fmu(path) == []
    outputs = [*dae.y.names, *dae.q_names]
    R = attitudes(run)
    for kind in KINDS:
        told = simulate_fmu(
            path, fmi_type=kind, stop_time=20, output_interval=0.01, start_values=TUMBLE, output=outputs,
            record_events=False, relative_tolerance=1e-11,
        )  # fmt: skip
        for name in dae.y.names:
            assert np.max(np.abs(told[name] - run[name])) < 1e-6, (kind, name)
        # Charts may change a step earlier or later; attitudes are the same.
        found = Rotation.from_mrp(np.column_stack([told[f"base.rotation_{axis}"] for axis in AXES]) / 4)
        assert (found * R.inv()).magnitude().max() < 1e-6, kind
        assert np.sum(np.abs(np.diff(told["base.rotation_y"])) > 1) == jumps.sum()


@pytest.mark.slow
def test_a_ball_joint_tumbles_as_a_quaternion_says():
    """A body on a ball joint in its centre of mass, through every attitude for a minute; its momentum stays."""
    model = chain(fb.Spherical("base"), fb.RigidBody("body", 2.0, INERTIA), gravity=(0, 0, -9.81))
    model.add(fb.TotalMomentum("total"))
    tight = {"rtol": 1e-12, "atol": 1e-13}
    run = fb.simulate(fb.assemble(model), np.linspace(0, 60, 601), x0=TUMBLE, **tight)
    R, expected = by_quaternions(attitudes(run)[0], angular_velocity(run)[0], run.t)
    np.testing.assert_allclose(angular_velocity(run), expected, atol=1e-5)
    assert (attitudes(run) * R.inv()).magnitude().max() < 1e-5
    values = totals(run, "angular_momentum")
    np.testing.assert_allclose(values, np.tile(values[0], (len(values), 1)), atol=1e-9 * np.linalg.norm(values[0]))


@dataclass(frozen=True)
class RateDamping:
    """A law: torques about the axes of the body against its angular velocity, and a push beside."""

    gain: float

    def bind(self, dae: fb.DAE, actuators: object) -> control.Bound:
        del actuators
        y = dict(zip(dae.y.names, ca.vertsplit(dae.expressions.output), strict=True))
        references = variables("reference", [("push", "N m", 0.0)])
        commands = {f"jets.torque_{axis}": -self.gain * y[f"base.angular_velocity_{axis}"] for axis in AXES}
        commands["jets.torque_y"] += references.symbol
        return control.Bound(commands, references)


@pytest.mark.slow
@pytest.mark.skipif(compiler.find_compiler() is None, reason="there is no C compiler")
def test_a_law_slows_a_tumbling_body_under_a_push_that_jumps(tmp_path: Path):
    """Measured rates fed back, and a torque that jumps between changes of chart: a quaternion, and an FMU."""
    model = chain(fb.FreeMotion("base"), fb.RigidBody("body", 2.0, INERTIA), gravity=(0, 0, 0))
    model.connect("base.frame_b", model.add(fb.WorldTorque("jets", resolve_in="frame")).frame_a)
    gain, push = 2e-3, fb.piecewise_constant([0.0, 7.0, 19.0], [0.0, 0.04, -0.03])
    loop = control.close_loop(fb.assemble(model), RateDamping(gain))
    times, tight = np.linspace(0, 40, 4001), {"rtol": 1e-12, "atol": 1e-13}
    run = fb.simulate(loop, times, u={loop.u.names[0]: push}, x0=TUMBLE, **tight)

    def torque(t: float, omega: np.ndarray) -> np.ndarray:
        return np.array([0.0, 0.0 if t < 7 else 0.04 if t < 19 else -0.03, 0.0]) - gain * omega

    R, expected = by_quaternions(attitudes(run)[0], angular_velocity(run)[0], run.t, torque, max_step=0.01)
    np.testing.assert_allclose(angular_velocity(run), expected, atol=1e-5)
    assert (attitudes(run) * R.inv()).magnitude().max() < 1e-5
    assert np.sum(np.abs(np.diff(run["base.rotation_y"])) > 1) >= 3
    # As an FMU with the push at its start value.
    path = str(export.fmu(loop, tmp_path / "loop.fmu"))
    free = fb.simulate(loop, times[:2001], x0=TUMBLE, **tight)
    rates = [f"base.angular_velocity_{axis}" for axis in AXES]
    for kind in KINDS:
        told = simulate_fmu(
            path, fmi_type=kind, stop_time=20, output_interval=0.01, start_values=TUMBLE, output=rates,
            record_events=False, relative_tolerance=1e-11,
        )  # fmt: skip
        for name in rates:
            assert np.max(np.abs(told[name] - free[name])) < 1e-6, (kind, name)
