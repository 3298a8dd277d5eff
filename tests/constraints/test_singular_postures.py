"""Postures in which the mass matrix is singular: a right result, or a refusal that names the joint."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import flexblocks as fb
from arms.random_linkages import linkage
from flexblocks import control, export, optim
from flexblocks.constraints.singularities.singular_mass import generic_inertia
from flexblocks.dynamics.at_posture.mass_matrix import mass_root
from flexblocks.errors import FlexblocksError, FlexblocksWarning, SingularMassError

INERTIA = np.diag([1.0, 2.0, 3.0])
LOCK = (0.0, np.pi / 2, 0.0)
XYZ, ZXZ = ((1, 0, 0), (0, 1, 0), (0, 0, 1)), ((0, 0, 1), (1, 0, 0), (0, 0, 1))
NAMED = r"joint 'att' is in gimbal lock, two of its axes parallel at att.revolute1.angle = .*\. Choose axes of 'att'"


def free_body(
    start: Sequence[float] = (0.0, 0.0, 0.0),
    axes: Sequence[Sequence[float]] = XYZ,
    center: Sequence[float] = (0.0, 0.0, 0.0),
    gravity: Sequence[float] = (0.0, 0.0, 0.0),
) -> fb.DAE:
    """A body of 1 kg on a gimbal."""
    model = fb.Model("free body", gravity=tuple(gravity))
    ball = model.add(fb.Gimbal("att", axes=axes, start=tuple(start)))
    body = model.add(fb.RigidBody("body", mass=1.0, inertia=INERTIA, center=tuple(center)))
    model.connect(model.add(fb.Ground("ground")).frame_b, ball.frame_a)
    model.connect(ball.frame_b, body.frame_a)
    return fb.assemble(model)


def turn(q: np.ndarray, axes: Sequence[Sequence[float]] = XYZ) -> Rotation:
    """The orientation of the body by its angles."""
    first, second, third = (Rotation.from_rotvec(angle * np.array(axis)) for angle, axis in zip(q, axes, strict=True))
    return first * second * third


def spin(q: np.ndarray) -> np.ndarray:
    """The matrix (3, 3) from rates of Cardan angles to the angular velocity in body axes."""
    second, third = Rotation.from_rotvec([0, q[1], 0]), Rotation.from_rotvec([0, 0, q[2]])
    return np.column_stack([(second * third).inv().apply([1, 0, 0]), third.inv().apply([0, 1, 0]), [0, 0, 1]])


@pytest.mark.parametrize(("start", "axes"), [(LOCK, XYZ), ((0.3, -np.pi / 2, 0.7), XYZ), ((0.0, 0.0, 0.0), ZXZ)])
def test_started_in_gimbal_lock(start: Sequence[float], axes: Sequence[Sequence[float]]) -> None:
    dae = free_body(start, axes, center=(0.1, 0.2, 0.0), gravity=(0.0, 0.0, -9.81))
    for refused in (
        lambda: fb.equilibrium(dae),
        lambda: fb.linearize(dae),
        lambda: fb.linearize(dae, {}),
        lambda: fb.simulate(dae, (0.0, 1.0)),
        lambda: fb.simulate(dae, (0.0, 1.0), x0={"der(att.revolute1.angle)": 0.1}, method="rk4", step=1e-3),
    ):
        with pytest.raises(FlexblocksError, match=NAMED):
            refused()


def test_no_use_begins_in_gimbal_lock(tmp_path: Path) -> None:
    """Runs of closed loops, plans to and from it, laws about it and units for other tools."""
    model = fb.Model("wrist")
    place, motors = model.add(fb.Ground("ground")).frame_b, [f"motor{i}" for i in (1, 2, 3)]
    att = model.add(fb.Gimbal("att", axes=XYZ, start=LOCK))
    model.connect(place, att.frame_a)
    model.connect(att.frame_b, model.add(fb.RigidBody("body", mass=1.0, inertia=INERTIA)).frame_a)
    for name, axis in zip(motors, (att.axis1, att.axis2, att.axis3), strict=True):
        model.connect(model.add(fb.TorqueSource(name, limit=5.0)).flange_b, axis)
    dae = fb.assemble(model)
    lock, free = dict(zip(dae.q_names, LOCK, strict=True)), dict.fromkeys(dae.q_names, 0.1)
    law = control.PD(dict(zip(dae.q_names, dae.u.names, strict=True)), 10.0, 1.0)
    for refused in (
        lambda: fb.simulate(control.close_loop(dae, law), (0.0, 1.0)),
        lambda: fb.linearize(control.close_loop(dae, law)),
        lambda: control.close_loop(dae, control.LQR(1.0, at=lock)),
        lambda: optim.plan(dae, optim.RestToRest(start=lock, goal=free, duration=1.0)),
        lambda: optim.plan(dae, optim.RestToRest(start=free, goal=lock, duration=1.0)),
        lambda: optim.pyomo_model(dae, optim.RestToRest(start=free, goal=lock, duration=1.0)),
        lambda: export.fmu(dae, tmp_path / "wrist.fmu"),
    ):
        with pytest.raises(FlexblocksError, match=NAMED):
            refused()
    with pytest.warns(FlexblocksWarning, match="joint 'att' is in gimbal lock"):
        runs = fb.simulate_batch(dae, (0.0, 0.01), x0=np.array([dae.x.start, [0.1] * 6]))
    assert runs["complete"].values.tolist() == [False, True]


def test_moved_into_gimbal_lock() -> None:
    dae = free_body()
    lock = {"att.revolute2.angle": np.pi / 2}
    point = fb.equilibrium(dae)
    locked = dataclasses.replace(point, x=np.array([*LOCK, 0.0, 0.0, 0.0]))
    for refused in (
        lambda: fb.equilibrium(dae, x=lock),
        lambda: fb.linearize(dae, lock),
        lambda: fb.linearize(dae, locked),
        lambda: fb.simulate(dae, (0.0, 1.0), x0=lock),
        lambda: fb.linear_grid(dae, {"att.revolute2.angle": [0.0, np.pi / 2]}),
    ):
        with pytest.raises(FlexblocksError, match=NAMED):
            refused()


def test_linkages_in_gimbal_lock() -> None:
    """The metric in which rates close the loops has no Cholesky factor there: a LinAlgError in every use."""
    model, R = fb.Model("linkage", gravity=(0.0, 0.0, -9.81)), turn(np.array(LOCK))
    ground = model.add(fb.Ground("ground")).frame_b
    end = (0.8, 0.2, 0.1)
    foot = fb.FixedTransform("foot", tuple(R.apply(end).tolist()), tuple(R.as_rotvec().tolist()))
    chain = (
        fb.Gimbal("att", axes=XYZ, start=LOCK),
        fb.RigidBody("body", 1.0, INERTIA, reach=(0.5, 0.0, 0.0)),
        fb.Spherical("elbow"),
        fb.RigidBody("link", 1.0, INERTIA, reach=(0.3, 0.2, 0.1)),
    )
    place = ground
    for block in chain:
        model.connect(place, model.add(block).frame_a)
        place = block.frame_b
    model.connect(ground, model.add(foot).frame_a)
    pin = model.add(fb.Spherical("pin"))
    model.connect(foot.frame_b, pin.frame_a)
    model.connect(pin.frame_b, place)
    dae = fb.assemble(model)
    for refused in (lambda: fb.equilibrium(dae), lambda: fb.linearize(dae, {}), lambda: fb.simulate(dae, (0.0, 0.1))):
        with pytest.raises(FlexblocksError, match=NAMED):
            refused()


def test_hinges_of_their_own_are_named() -> None:
    """The wrist of a robot: three hinges, the outer ones in line."""
    model = fb.Model("wrist", gravity=(0.0, 0.0, -9.81))
    place = model.add(fb.Ground("ground")).frame_b
    for name, axis in (("roll", (1, 0, 0)), ("pitch", (0, 1, 0)), ("tool", (1, 0, 0))):
        hinge = model.add(fb.Revolute(name, axis=axis))
        model.connect(place, hinge.frame_a)
        place = hinge.frame_b
    model.connect(place, model.add(fb.RigidBody("body", 1.0, INERTIA, (0.1, 0, 0))).frame_a)
    dae = fb.assemble(model)
    names = r"'roll.angle', 'tool.angle' together move no mass at roll.angle = 0 rad, pitch.angle = 0 rad"
    for refused in (lambda: fb.equilibrium(dae), lambda: fb.linearize(dae, {}), lambda: fb.simulate(dae, (0.0, 1.0))):
        with pytest.raises(FlexblocksError, match=names):
            refused()


def test_a_thin_rod_is_named_where_the_run_fails() -> None:
    """No joint follows another here, yet a rod has no inertia about its axis: straight, the arm cannot start."""
    model = fb.Model("rods", gravity=(0.0, 0.0, -9.81))
    roll, rod = model.add(fb.Revolute("roll", axis=(1, 0, 0))), model.add(fb.RigidLink("rod", 0.5, 1.0))
    elbow, tip = model.add(fb.Revolute("elbow", axis=(0, 1, 0))), model.add(fb.RigidLink("tip", 0.5, 1.0))
    model.connect(model.add(fb.Ground("ground")).frame_b, roll.frame_a)
    for inner, outer in ((roll, rod), (rod, elbow), (elbow, tip)):
        model.connect(inner.frame_b, outer.frame_a)
    dae = fb.assemble(model)
    for refused in (
        lambda: fb.equilibrium(dae),
        lambda: fb.linearize(dae, {}),
        lambda: fb.simulate(dae, (0.0, 1.0), x0={"der(roll.angle)": 1.0}),
    ):
        with pytest.raises(FlexblocksError, match=r"'roll.angle' moves no mass at roll.angle = 0 rad"):
            refused()
    assert np.all(np.isfinite(fb.linearize(dae, fb.equilibrium(dae, x={"elbow.angle": np.pi / 2})).A))


@cache
def between_two_hinges(length: float, start: float = 0.0) -> fb.DAE:
    """A thin beam between hinges about its axis, with a body behind them: straight, it has no inertia about it."""
    model = fb.Model("twisted", gravity=(0.0, 0.0, -9.81))
    beam = fb.FlexibleBeam("beam", length, 5e-3 * length, 5.0, fb.FiniteElements(1), bending="z")
    place = model.add(fb.Ground("ground")).frame_b
    for block in (
        fb.Revolute("inner", axis=(0, 1, 0)),
        fb.Revolute("joint1", axis=(1, 0, 0)),
        beam,
        fb.FixedTransform("bend", rotation=(0.0, start, 0.0)),
        fb.Revolute("joint2", axis=(1, 0, 0)),
        fb.RigidBody("body", 1.0, INERTIA, (0.1, 0.0, 0.0)),
    ):
        model.connect(place, model.add(block).frame_a)
        place = getattr(block, "frame_b", None)
    return fb.assemble(model)


def test_a_generic_posture_is_that_of_an_arm_of_any_size() -> None:
    """All lengths times 1e-3: M scaled to unit diagonal is the same. A beam of 2 mm was bent by 50 lengths."""

    def arm(scale: float) -> fb.DAE:
        model = fb.Model("arm")
        place = model.add(fb.Ground("ground")).frame_b
        modes = fb.AssumedModes(2, tip="free")
        for block in (
            fb.Prismatic("slide", axis=(0, 1, 0)),
            fb.Revolute("joint1", axis=(1, 0, 0)),
            fb.FlexibleBeam("beam", scale, 0.5 / scale, 5.0, modes, bending="z"),
            fb.Revolute("joint2", axis=(1, 0, 0)),
            fb.RigidBody("body", 1.0, scale**2 * INERTIA, (0.1 * scale, 0.0, 0.0)),
        ):
            model.connect(place, model.add(block).frame_a)
            place = getattr(block, "frame_b", None)
        return fb.assemble(model)

    assert generic_inertia(arm(2e-3)) == pytest.approx(generic_inertia(arm(2.0)), rel=1e-6)


def test_a_singular_start_is_told(caplog: pytest.LogCaptureFixture) -> None:
    dae = between_two_hinges(1.0)
    assert "'joint1.angle', 'joint2.angle' together move no mass at joint1.angle = 0 rad" in caplog.text
    caplog.clear()
    assert np.all(np.isfinite(between_two_hinges(1.0, start=0.3).forward_dynamics(np.zeros(10), [], []).full()))
    assert not caplog.text
    with pytest.raises(FlexblocksError, match=r"'joint1.angle', 'joint2.angle' together move no mass"):
        fb.simulate(dae, (0.0, 1.0))


@pytest.mark.parametrize("number", [9, pytest.param(39, marks=pytest.mark.slow)])
def test_no_balance_is_taken_in_the_lock(number: int) -> None:
    """There one moment is in no balance of forces, and a search for zeros of the others is drawn to it."""
    dae = fb.assemble(linkage(number))
    point = fb.equilibrium(dae, u={"motor.torque": 0.0})
    M = dae.mass_matrix(point.x[: dae.tree.size], []).full()
    size = np.sqrt(np.diag(M))
    assert np.linalg.eigvalsh(M / np.outer(size, size))[0] > 1e-5
    # It hangs: no virtual rotation of the body at the ball joint changes the energy, not even one out of reach there.
    n, ball = dae.tree.size, dae.q_names.index("ball.revolute1.angle")
    angles, turned = point.x[ball : ball + 3], []
    for axis in np.eye(3):
        for step in (1e-4, -1e-4):
            q = point.x[:n].copy()
            q[ball : ball + 3] = (Rotation.from_rotvec(step * axis) * turn(angles)).as_euler("XYZ")
            turned.append(float(dae.energy(np.concatenate([q, np.zeros(n)]), [])[1]))
    moments = (np.array(turned[::2]) - np.array(turned[1::2])) / 2e-4
    np.testing.assert_allclose(moments, 0.0, atol=1e-6)


def tumbling(q: np.ndarray, v: np.ndarray, times: np.ndarray) -> Rotation:
    """The orientations of a free body by Euler's equations and a quaternion."""

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        (x, yy, z, s), w = y[:4], y[4:]
        turning = np.array([[s, -z, yy], [z, s, -x], [-yy, x, s], [-x, -yy, -z]]) @ w / 2
        return np.concatenate([turning, np.linalg.solve(INERTIA, -np.cross(w, INERTIA @ w))])

    start = np.concatenate([turn(q).as_quat(), spin(q) @ v])
    run = solve_ivp(rates, (times[0], times[-1]), start, "DOP853", times, rtol=1e-12, atol=1e-13)
    return Rotation.from_quat(run.y[:4].T)


def outcome(dae: fb.DAE, v: Sequence[float], method: str, step: float | None) -> str:
    """Simulate a tumbling body, and say whether the run is right or refused by name; fail where it is neither."""
    q = np.array([0.0, 0.4, 0.0])
    try:
        run = fb.simulate(dae, (0.0, 4.0), x0=np.concatenate([q, v]), method=method, step=step)
    except FlexblocksError as error:
        if "joint 'att' is in gimbal lock" not in str(error):
            raise
        return "refused"
    exact = tumbling(q, np.array(v), run.t)
    missed = [(turn(angles) * there.inv()).magnitude() for angles, there in zip(run.x[:, :3], exact, strict=True)]
    assert np.max(missed) < 5e-6  # a thousand times the tolerance of the integration
    return "right"


@pytest.mark.parametrize(("beside", "expected"), [(0.0, "right"), (1e-9, ""), (1e-3, "right")])
def test_motions_through_the_lock_are_right_or_refused(beside: float, expected: str) -> None:
    assert expected in outcome(free_body(), (beside, 1.0, 0.0), "auto", None)


def test_fixed_steps_do_not_pass_the_lock_unawares() -> None:
    """With one of a millisecond the run beside it missed by 0.3 rad; further away it is right."""
    dae = free_body()
    assert outcome(dae, (1e-3, 1.0, 0.0), "rk4", 1e-3) == "refused"
    assert outcome(dae, (1e-1, 1.0, 0.0), "rk4", 1e-3) == "right"


@pytest.mark.parametrize(
    ("method", "beside"),
    [("rk43", 1e-9), ("rk8", 0.0)],
)
@pytest.mark.slow
def test_explicit_methods_do_not_pass_the_lock_unawares(method: str, beside: float) -> None:
    expected = "refused" if beside == 1e-9 else "right"
    assert outcome(free_body(), (beside, 1.0, 0.0), method, None) == expected


@pytest.mark.slow
def test_random_motions_are_right_or_refused() -> None:
    dae, rng = free_body(), np.random.default_rng(0)
    for beside in (1e-12, 1e-6, 0.1):
        outcome(dae, (beside, 1.0, 0.0), "auto", None)
    for _ in range(8):
        v = rng.normal(size=3) * 10 ** rng.uniform(-12, 0, 3)
        v[rng.integers(3)] = rng.uniform(0.5, 2)
        outcome(dae, v, str(rng.choice(["auto", "bdf"])), None)


@pytest.mark.parametrize("beside", [0.3, 1e-2, 1e-4, 1e-5, 1e-6, 1e-8])
def test_linear_models_beside_the_lock_are_right_or_refused(beside: float) -> None:
    """A hanging body: M a = -K q with K = g m (l' - ...), from the rotations, not from the angles' equations."""
    q = np.array([0.2, np.pi / 2 - beside, -0.4])
    pull = np.array([3.0, -2.0, -8.0])
    center = 0.3 * turn(q).inv().apply(pull / np.linalg.norm(pull))
    dae = free_body(q, center=tuple(center), gravity=tuple(pull))
    point = dict(zip(dae.q_names, q, strict=True))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FlexblocksWarning)
            A = fb.linearize(dae, point).A[3:, :3]
    except SingularMassError as error:
        if beside > 2e-5 or "joint 'att' is in gimbal lock" not in str(error):
            raise
        return
    # Of a small rotation phi in body axes: J phi'' = m c x (g - phi x g), J about the joint; rates q' = spin^-1 phi'.
    about = INERTIA + (center @ center) * np.eye(3) - np.outer(center, center)
    down, skew = turn(q).inv().apply(pull), lambda v: np.cross(np.eye(3), v)
    S = spin(q)
    exact = np.linalg.solve(S, np.linalg.solve(about, skew(center).T @ skew(down).T) @ S)
    np.testing.assert_allclose(A, exact, atol=np.max(np.abs(exact)) * max(1e-9, 1e-14 / beside**2))


def test_masses_that_rounding_makes_indefinite_have_a_root():
    """Three angles at a point mass that only two of them move, with an error of rounding; LinAlgError before."""
    M = np.array([[1.0, 1.0, 0.0], [1.0, 1.0 - 1e-11, 0.0], [0.0, 0.0, 2.0]])
    root = mass_root(M)
    np.testing.assert_allclose(root @ root.T, M, atol=1e-10)
    assert np.isfinite(np.linalg.inv(root)).all()
