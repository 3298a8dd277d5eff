"""What is done with arms that have force elements: linear models, equations as code, plans."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from fmpy import simulate_fmu

import flexblocks as fb
from arms import force_arms
from arms.force_arms import everything
from flexblocks import export, optim
from flexblocks.dae.compiler import find_compiler
from flexblocks.errors import FlexblocksWarning


def test_linear_models_are_finite_differences():
    dae = everything()
    numbers, n = np.random.default_rng(0), dae.tree.size
    x = dae.x.start + np.r_[numbers.normal(size=2 * n) * 0.1, np.zeros(len(dae.x) - 2 * n)]
    u = numbers.uniform(-1, 1, len(dae.u)) * 0.1
    point = dict(zip(dae.x.names, x, strict=True)), dict(zip(dae.u.names, u, strict=True))
    with pytest.warns(FlexblocksWarning, match="not an equilibrium"):
        lin = fb.linearize(dae, at={"x": point[0], "u": point[1]})
    sizes = np.r_[np.ones(2 * n), [max(1.0, abs(value)) for value in x[2 * n :]]]

    def rates(dx: np.ndarray, du: np.ndarray) -> np.ndarray:
        return dae.forward_dynamics(x + dx * sizes, u + du, []).full().ravel() / sizes

    def slopes(count: int, of) -> np.ndarray:
        def central(h: float) -> np.ndarray:
            return np.column_stack([(of(step) - of(-step)) / (2 * h) for step in h * np.eye(count)])

        return (4 * central(1e-4) - central(2e-4)) / 3

    A = slopes(len(x), lambda dx: rates(dx, 0 * u))
    B = slopes(len(u), lambda du: rates(0 * x, du))
    exact = lin.A * sizes / sizes[:, None], lin.B / sizes[:, None]
    np.testing.assert_allclose(exact[0], A, atol=1e-6 * np.abs(A).max())
    np.testing.assert_allclose(exact[1], B, atol=1e-6 * np.abs(B).max())


def test_equations_as_code_are_those_of_the_arm(tmp_path):
    """M a + c + g + k + d = Q: springs, dampers and what is applied, each in its own term."""
    dae, numbers = everything(), np.random.default_rng(2)
    export.save_equations(dae, tmp_path / "arm.py")
    code: dict[str, Any] = {}
    exec((tmp_path / "arm.py").read_text(), code)
    function = next(value for name, value in code.items() if inspect.isfunction(value))
    n = dae.tree.size
    x = dae.x.start + np.r_[numbers.normal(size=2 * n) * 0.3, np.zeros(len(dae.x) - 2 * n)]
    u = numbers.normal(size=len(dae.u))
    M, c, g, k, d, Q = function(x[:n], x[n : 2 * n], x[2 * n :], u)
    a = dae.forward_dynamics(x, u, []).full().ravel()[n : 2 * n]
    np.testing.assert_allclose(M @ a + c + g + k + d, Q, atol=1e-9 * np.abs(Q).max())
    np.testing.assert_allclose(Q, dae.input_force(x, u, []).full().ravel(), rtol=1e-12)
    assert min(np.abs(part).max() for part in (k, d, Q)) > 0.1


def test_a_cylinder_lifts_a_boom_along_a_plan():
    dae = fb.assemble(force_arms.boom())
    problem = optim.RestToRest(start={"hinge.angle": -0.15}, goal={"hinge.angle": 0.15}, duration=3.0)
    plan = optim.plan(dae, problem)
    assert plan.status == "converged"
    assert np.abs(plan.trajectory["ram.valve"]).max() <= 1.0
    replay = plan.replay()
    assert replay.trajectory["hinge.angle"][-1] == pytest.approx(0.15, abs=1e-4)


PULLS = {
    "spring": fb.SpringDamper("pull", stiffness=100.0, damping=5.0, free_length=0.3),
    "cable": fb.Cable("pull", length=1.1, rigidity=200.0, damping_time=0.01, transition=1e-2),
    "contact": fb.Contact("pull", 2e3, 2e-2, normal=(0.0, 1.0, 0.0), damping=0.1),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", PULLS)
def test_plans_with_each(kind):
    """A rod with a motor, from rest to rest, with an element between the ground and its end."""
    model = fb.Model("rod", gravity=(0, -9.81, 0))
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge"))
    motor, rod = model.add(fb.TorqueSource("motor", limit=60.0)), model.add(fb.RigidLink("rod", 1.0, 2.0))
    post = model.add(fb.FixedTransform("post", (0.3, -0.2 if kind == "contact" else 0.6, 0.0)))
    pull = model.add(PULLS[kind])
    model.connect(ground.frame_b, hinge.frame_a)
    model.connect(motor.flange_b, hinge.axis)
    model.connect(hinge.frame_b, rod.frame_a)
    model.connect(ground.frame_b, post.frame_a)
    model.connect(rod.frame_b, pull.frame_a)
    model.connect(post.frame_b, pull.frame_b)
    dae = fb.assemble(model)
    problem = optim.RestToRest(start={"hinge.angle": -0.1}, goal={"hinge.angle": 0.6}, duration=1.5)
    plan = optim.plan(dae, problem)
    assert plan.status == "converged"
    assert plan.replay().trajectory["hinge.angle"][-1] == pytest.approx(0.6, abs=2e-3)


@pytest.mark.slow
def test_a_winch_lifts_a_rod_along_a_plan():
    damping_time = 1e-3
    model = fb.Model("rod", gravity=(0, -9.81, 0))
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge"))
    rod = model.add(fb.RigidLink("rod", 1.0, 2.0))
    post = model.add(fb.FixedTransform("post", (0.3, 1.2, 0.0)))
    rope = model.add(fb.Cable("rope", 1.4, 5e3, damping_time=damping_time, winch=True, limit=1.0))
    model.connect(ground.frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, rod.frame_a)
    model.connect(ground.frame_b, post.frame_a)
    model.connect(rod.frame_b, rope.frame_a)
    model.connect(post.frame_b, rope.frame_b)
    dae = fb.assemble(model)
    problem = optim.RestToRest(start={"hinge.angle": -0.1}, goal={"hinge.angle": 0.4}, duration=2.0)
    plan = optim.plan(dae, problem)
    assert plan.status == "converged"
    assert plan.replay().trajectory["hinge.angle"][-1] == pytest.approx(0.4, abs=5e-3)


@pytest.mark.slow
def test_a_plan_with_thrusters_replays():
    model = force_arms.boom()
    jets = model.add(fb.WorldForce("jets"))
    model.connect("rod.frame_b", jets.frame_a)
    dae = fb.assemble(model)
    problem = optim.RestToRest(
        start={"hinge.angle": -0.15},
        goal={"hinge.angle": 0.15},
        duration=3.0,
        limits={f"jets.force_{axis}": 20.0 for axis in "xyz"},
    )
    plan = optim.plan(dae, problem)
    assert plan.status == "converged"
    assert plan.replay().trajectory["hinge.angle"][-1] == pytest.approx(0.15, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("shaft", ["motor", "bristles"])
def test_plans_through_a_current_and_through_bristles(shaft):
    """A rod from rest to rest, by a voltage; and by a torque against friction that sticks."""
    model = fb.Model("rod", gravity=(0, -9.81, 0))
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge"))
    rod = model.add(fb.RigidLink("rod", 1.0, 2.0))
    model.connect(ground.frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, rod.frame_a)
    if shaft == "motor":
        drive = model.add(fb.DCMotor("motor", resistance=1.0, inductance=0.02, constant=2.0, limit=48.0))
    else:
        drive = model.add(fb.TorqueSource("motor", limit=60.0))
        friction = {"stiffness": 200.0, "coulomb": 1.0, "breakaway": 1.5, "damping": 5.0}
        model.connect(model.add(fb.LuGreFriction("bristles", **friction)).flange_b, hinge.axis)
    model.connect(drive.flange_b, hinge.axis)
    dae = fb.assemble(model)
    problem = optim.RestToRest(start={"hinge.angle": -0.3}, goal={"hinge.angle": 0.3}, duration=1.5)
    plan = optim.plan(dae, problem, intervals=80)
    assert plan.status == "converged"
    assert plan.replay().trajectory["hinge.angle"][-1] == pytest.approx(0.3, abs=2e-3)


@pytest.mark.slow
def test_an_fmu_of_what_else_has_states_computes_the_same_motion(tmp_path):
    """A current, bristles, a ball joint and an ideal cylinder; the other elements are in tests/export/test_fmu.py."""
    if find_compiler() is None:
        pytest.skip("there is no C compiler")
    model = force_arms.boom(max_speed=0.2)
    ball, bob = model.add(fb.Spherical("ball", damping=0.5)), fb.RigidBody("bob", 3.0, 0.1 * np.eye(3), (0.3, 0, 0))
    model.connect("rod.frame_b", ball.frame_a)
    model.connect(ball.frame_b, model.add(bob).frame_a)
    wrist, hand = model.add(fb.Revolute("wrist")), model.add(fb.RigidLink("hand", 0.5, 1.0))
    model.connect("rod.frame_b", wrist.frame_a)
    model.connect(wrist.frame_b, hand.frame_a)
    motor = fb.DCMotor("motor", resistance=1.0, inductance=0.02, constant=1.0)
    bristles = fb.LuGreFriction("bristles", stiffness=200.0, coulomb=0.2, breakaway=0.3, damping=2.0)
    for shaft in (motor, bristles):
        model.connect(model.add(shaft).flange_b, wrist.axis)
    model.save(tmp_path / "arm.yaml")
    dae = fb.assemble(fb.load(tmp_path / "arm.yaml"))
    held = fb.equilibrium(fb.assemble(force_arms.boom(max_speed=0.2)), x={"hinge.angle": 0.0})
    start = {name: held[name] for name in ("ram.command",)}
    inputs, times = {"ram.valve": 0.1, "motor.voltage": 2.0}, np.linspace(0.0, 1.0, 101)
    run = fb.simulate(dae, times, u=inputs, x0=start, rtol=1e-12, atol=1e-13)
    path = str(export.fmu(dae, tmp_path / "arm.fmu"))
    names = (*dae.q_names, *dae.x.names[2 * dae.tree.size :], "ram.force")
    for kind in ("ModelExchange", "CoSimulation"):
        told = simulate_fmu(
            path, fmi_type=kind, stop_time=1.0, output_interval=0.01, start_values=start | inputs, output=names,
            record_events=False, relative_tolerance=1e-11,
        )  # fmt: skip
        for name in names:
            size = max(1.0, np.abs(run[name]).max())
            assert np.max(np.abs(told[name] - run[name])) < 1e-6 * size, (kind, name)
    assert min(np.ptp(run[name]) for name in ("motor.current", "bristles.deflection", "ball.rotation_z")) > 1e-3


def test_an_ideal_cylinder_lifts_a_boom_along_a_plan():
    dae = fb.assemble(force_arms.boom(max_speed=0.2))
    problem = optim.RestToRest(start={"hinge.angle": -0.15}, goal={"hinge.angle": 0.15}, duration=3.0)
    plan = optim.plan(dae, problem, intervals=20)
    assert plan.status == "converged"
    # The piston's way is that of the valve, but for the oil's compression.
    replay = plan.replay().trajectory
    assert replay["hinge.angle"][-1] == pytest.approx(0.15, abs=1e-4)
    piston = np.ptp(replay["ram.length"][[0, -1]])
    opened = 0.2 * np.trapezoid(replay["ram.valve"], replay.t)
    assert opened == pytest.approx(piston, rel=0.02)


def test_external_torques_turn_a_body_along_a_plan():
    """From rest to rest about two axes: what turns the body is the momentum that the torques bring."""
    model = fb.Model("satellite", gravity=(0.0, 0.0, 0.0))
    ground, ball = model.add(fb.Ground("ground")), model.add(fb.Spherical("ball"))
    body = model.add(fb.RigidBody("body", 10.0, np.diag([2.0, 3.0, 4.0])))
    jets = model.add(fb.WorldTorque("jets", resolve_in="frame"))
    model.connect(ground.frame_b, ball.frame_a)
    model.connect(ball.frame_b, body.frame_a, jets.frame_a)
    dae = fb.assemble(model)
    named = [f"ball.rotation_{axis}" for axis in "xyz"]
    goal = dict(zip(named, (0.5, -0.4, 0.8), strict=True))
    limits = {f"jets.torque_{axis}": 6.0 for axis in "xyz"}
    problem = optim.RestToRest(start=dict.fromkeys(named, 0.0), goal=goal, duration=2.0, limits=limits)
    plan = optim.plan(dae, problem, intervals=20)
    assert plan.status == "converged"
    replay = plan.replay().trajectory
    for name, angle in goal.items():
        assert replay[name][-1] == pytest.approx(angle, abs=1e-4)
