"""Free durations: closed forms of the double integrator, the two-link arm in the shortest time, refinement."""

import warnings
from dataclasses import replace

import casadi as ca
import numpy as np
import pyomo.environ as pyo
import pytest

import flexblocks as fb
from flexblocks import models, optim
from flexblocks.optim.collocation import radau
from flexblocks.optim.cost import effort_function, vibration_function
from flexblocks.optim.dynamics import interval_kernel
from flexblocks.optim.input_shape import input_shape
from flexblocks.optim.interval_form import IntervalForm
from flexblocks.optim.refine import energy_swallowed
from flexblocks.optim.warm_start import start_from

INERTIA = 0.3
TORQUE = "motor1.torque"


def hinge(limit=None):
    """A rigid body on a driven hinge: 0.3 kg m2 about it."""
    model = fb.Model("hinge")
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint1"))
    motor = model.add(fb.TorqueSource("motor1", limit=limit))
    load = model.add(fb.Payload("payload", mass=1.0, inertia=0.05, center=(0.5, 0.0, 0.0)))
    model.connect(motor.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, load.frame_a)
    return fb.assemble(model)


def swing(distance, duration="free", **more):
    return optim.RestToRest({"joint1.angle": 0.2}, {"joint1.angle": 0.2 + distance}, duration, **more)


def two_link_arm(mount="relative", links=2):
    return fb.assemble(models.subudhi_morris_2002(links=links, rotor_mount=mount))


def quarter_turn(torques=(1.0, 0.5), full=0.05, duration="free", objective="time"):
    """From (0, 0) to (pi/2, pi/6); the full torque is reached in `full` [s]."""
    limits = {f"motor{i}.torque": torque for i, torque in enumerate(torques, 1)}
    limits |= {f"der({name})": torque / full for name, torque in limits.items()}
    return optim.RestToRest(
        {"joint1.angle": 0.0, "joint2.angle": 0.0},
        {"joint1.angle": np.pi / 2, "joint2.angle": np.pi / 6},
        duration,
        objective=objective,
        limits=limits,
        input_ends="holding",
    )


def test_bang_bang():
    """T = 2 sqrt(d I / u), full torque one way, then the other: exact where the switch is a mesh point."""
    problem = swing(1.5, objective="time", limits={TORQUE: 0.6})
    plan = optim.plan(hinge(), problem, intervals=8, inputs="constant")
    exact = 2 * np.sqrt(1.5 * INERTIA / 0.6)
    assert plan.status == "converged"
    assert plan.duration == pytest.approx(exact, rel=1e-7)
    assert plan.objective == pytest.approx(exact, rel=1e-7)
    middles = (np.arange(8) + 0.5) * exact / 8
    np.testing.assert_allclose(plan.inputs[TORQUE](middles), [0.6] * 4 + [-0.6] * 4, atol=1e-5)
    assert plan.trajectory.t[-1] == plan.duration
    assert plan.replay().tip_miss < 1e-7


@pytest.mark.parametrize("inputs", ["linear", "cubic"])
def test_limited_rate(inputs):
    """Ramps of 0.1 s and plateaus of 0.2 s, from zero to zero torque: the kinks are mesh points of eight intervals."""
    ramp, hold, torque = 0.1, 0.2, 0.6
    distance = torque / INERTIA * (ramp + hold) * (2 * ramp + hold)
    limits = {TORQUE: torque, f"der({TORQUE})": torque / ramp}
    problem = swing(distance, objective="time", limits=limits, input_ends="holding")
    plan = optim.plan(hinge(), problem, intervals=8, inputs=inputs)
    exact = 2 * (2 * ramp + hold)
    # Rates that are continuous cannot jump with the kinks.
    assert plan.duration == pytest.approx(exact, rel=1e-7 if inputs == "linear" else 0.05)
    assert plan.duration > exact - 1e-7
    t = np.linspace(0, plan.duration, 2001)[:-1]
    u, rate = plan.inputs[TORQUE](t), plan.inputs[TORQUE].derivative()(t)
    assert np.abs(u).max() <= torque + 1e-6
    assert np.abs(rate).max() <= torque / ramp + 1e-5
    assert plan.replay().tip_miss < 1e-7


def test_time_weighed_against_effort():
    """J = w T + 12 I^2 d^2 / T^3 is least at T^4 = 36 I^2 d^2 / w."""
    objective = 0.2 * optim.Time() + optim.Effort(rate_weight=0.0)
    plan = optim.plan(hinge(), swing(1.5, objective=objective), intervals=5, inputs="linear")
    duration = (36 * INERTIA**2 * 1.5**2 / 0.2) ** 0.25
    assert plan.duration == pytest.approx(duration, rel=1e-6)
    assert plan.objective == pytest.approx(0.2 * duration + 12 * INERTIA**2 * 1.5**2 / duration**3, rel=1e-9)
    assert plan.replay().tip_miss < 1e-7


def test_least_effort_within_a_range_takes_all_the_time():
    problem = swing(1.5, (0.5, 2.0), objective=optim.Effort(rate_weight=0.0))
    plan = optim.plan(hinge(), problem, intervals=5, inputs="linear")
    assert plan.duration == pytest.approx(2.0, abs=1e-6)
    assert plan.objective == pytest.approx(12 * INERTIA**2 * 1.5**2 / 2**3, rel=1e-6)
    quick = optim.plan(hinge(), swing(1.5, (1.9, 5.0), objective="time", limits={TORQUE: 0.6}), intervals=8)
    assert quick.duration == pytest.approx(1.9, abs=1e-6)


def test_speed_limit_at_all_collocation_points():
    """Bang, coast at the top speed, bang: T = d / v + v I / u, the switches being mesh points."""
    torque, speed = 0.6, 0.5
    stroke = speed * INERTIA / torque
    distance = 4 * stroke * speed  # three quarters of the way coasting: switches at 1/5 and 4/5 of the time
    problem = swing(distance, objective="time", limits={TORQUE: torque, "der(joint1.angle)": speed})
    plan = optim.plan(hinge(), problem, intervals=10, inputs="constant")
    assert plan.duration == pytest.approx(distance / speed + stroke, rel=1e-6)
    assert plan.trajectory["der(joint1.angle)"].max() == pytest.approx(speed, abs=1e-6)


def test_model_stays_open():
    """The duration is a Var like others, and the mesh times follow it."""
    m = optim.pyomo_model(hinge(), swing(1.5, (0.5, 5.0), objective="time", limits={TORQUE: 0.6}), intervals=8)
    assert m.T.bounds == (0.5, 5.0)
    m.slow = pyo.Constraint(expr=m.t[4] >= 1.0)
    plan = optim.solve(m)
    assert plan.duration == pytest.approx(2.0, abs=1e-6)
    assert pyo.value(m.t[2]) == pytest.approx(0.5, abs=1e-6)
    assert plan.attempts == ()


@pytest.mark.parametrize("free", [False, True])
def test_derivatives_of_an_interval(free):
    """The chain rule, through a duration that multiplies too, gives what CasADi gets from the residual as a whole."""
    dae = two_link_arm(links=1)
    kernel = interval_kernel(dae, IntervalForm(radau(2), input_shape("cubic"), free))
    w, p, lam = (ca.SX.sym(name, n) for name, n in (("w", kernel.n_w), ("p", kernel.n_p), ("lam", kernel.n_residual)))
    r = kernel.residual.expand()(w, p)
    whole = ca.Function("whole", [w, p, lam], [ca.jacobian(r, w), ca.triu(ca.hessian(ca.dot(lam, r), w)[0])])
    rng = np.random.default_rng(3)
    point = rng.uniform(0.5, 1.5, kernel.n_w), [0.1], rng.normal(size=kernel.n_residual)
    patterns = kernel.jacobian_pattern, kernel.hessian_pattern
    found = kernel.jacobian(*point[:2]), kernel.hessian(*point, 1.0)
    for pattern, values, expected in zip(patterns, found, whole(*point), strict=True):
        dense = np.zeros(expected.shape)
        dense[pattern.row, pattern.col] = values.full().ravel()
        np.testing.assert_allclose(dense, expected.full(), atol=1e-10 * np.abs(expected.full()).max())


def test_residual_is_that_of_the_fixed_duration():
    dae = two_link_arm(links=1)
    fixed, free = (interval_kernel(dae, IntervalForm(radau(3), input_shape("cubic"), free)) for free in (False, True))
    w = np.random.default_rng(4).normal(size=fixed.n_w)
    expected = fixed.residual(w, [0.06])
    np.testing.assert_allclose(free.residual([*w, 1.5], [0.04]), expected, atol=1e-12)
    knots = np.random.default_rng(5).normal(size=4)
    cost = effort_function(input_shape("cubic"), optim.Effort(), 1)(knots, 0.06)
    assert float(effort_function(input_shape("cubic"), optim.Effort(), 1, True)([*knots, 1.5], 0.04)) == float(cost)
    values = (vibration_function(dae, IntervalForm(radau(3), input_shape("cubic"), is_free))([*w, *more], step)
              for is_free, more, step in ((False, [], 0.06), (True, [1.5], 0.04)))  # fmt: skip
    assert float(next(values)) == pytest.approx(float(next(values)), rel=1e-12)


def test_vibration_is_the_integral_of_the_elastic_energy():
    """Against the replay: all potential energy of this arm is elastic. And less of it than with least effort."""
    arm = two_link_arm()
    objectives = optim.Vibration() + 1e-3 * optim.Effort(), optim.Effort()
    calm, plain = (
        optim.plan(arm, quarter_turn((4.0, 2.0), 0.2, 1.0, objective), intervals=40) for objective in objectives
    )
    stored = []
    for plan in (calm, plain):
        motion = plan.replay().trajectory
        stored.append(np.trapezoid(motion["potential_energy"], motion.t))
    assert pyo.value(calm.model.vibration.outputs["cost"]) == pytest.approx(stored[0], rel=2e-3)
    assert stored[0] < 0.98 * stored[1]


def test_two_link_arm_in_the_shortest_time():
    """Inputs from and to rest, full torque in 0.05 s."""
    plan = optim.plan(two_link_arm(), quarter_turn(), intervals=40)
    assert plan.status == "converged"
    assert plan.duration == pytest.approx(1.2208, abs=2e-4)
    least, shortest = plan.attempts
    assert "least effort" in least.what
    assert (shortest.status, shortest.duration) == ("converged", plan.duration)
    assert least.duration > plan.duration
    summary = plan.summary()
    assert str(least) in summary
    assert "minimises time" in summary
    t = np.linspace(0, plan.duration, 4001)[:-1]
    for name, torque in (("motor1.torque", 1.0), ("motor2.torque", 0.5)):
        u = plan.inputs[name]
        assert np.abs(u(t)).max() == pytest.approx(torque, abs=1e-5)
        assert np.abs(u.derivative()(t)).max() <= torque / 0.05 + 1e-4
        assert u([0.0, plan.duration]) == pytest.approx([0.0, 0.0], abs=1e-9)
    replay = plan.replay()
    assert replay.trajectory.t[-1] == plan.duration
    assert replay.tip_miss < 1e-4
    assert replay.energy_left < 1e-4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("torques", "intervals", "duration", "rel"),
    [((1.0, 0.5), 40, 1.210, 0.02), ((1.0, 0.5), 100, 1.178, 0.006), ((4.0, 2.0), 40, 0.668, 0.003)],
)
def test_shortest_times_of_an_independent_script(torques, intervals, duration, rel):
    """Near to them with torques whose rates start and end at zero too; free rates save another 1 %."""
    arm = two_link_arm("carried")
    m = optim.pyomo_model(arm, quarter_turn(torques), intervals=intervals)
    for name in m.inputs:
        m.du[0, name].fix(0.0)
        m.du[intervals, name].fix(0.0)
    plan = optim.solve(m)
    assert plan.duration == pytest.approx(duration, rel=rel)
    free = optim.plan(arm, quarter_turn(torques), intervals=intervals)
    assert 0.98 * plan.duration < free.duration < plan.duration


@pytest.mark.slow
def test_shortest_time_refined_until_it_replays():
    """0.16 mm and 2e-3 J are lost at 40 and 80 intervals where rotors ride on links."""
    plan = optim.plan(two_link_arm("carried"), quarter_turn(), intervals=40, refine=True)
    assert plan.status == "optimal"
    assert len(plan.attempts) > 2
    replay = plan.replay()
    assert replay.tip_miss < 1e-4
    assert replay.energy_left < 1e-4


def test_plan_that_lives_off_its_scheme_is_made_anew():
    """Radau collocation swallows a hundred times the energy that the goal allows: no honest shortest time."""
    limits = {TORQUE: 4.0, f"der({TORQUE})": 80.0}
    problem = swing(1.5, objective="time", limits=limits, input_ends="holding")
    arm = two_link_arm(links=1)
    damped = optim.plan(arm, problem, intervals=15)
    assert energy_swallowed(damped) > 1e-3
    assert damped.replay().energy_left > 1e-3
    plan = optim.plan(arm, problem, intervals=15, refine=True)
    assert plan.status == "optimal"
    assert plan.transcription.scheme.name == "lobatto"
    assert energy_swallowed(plan) < 1e-4
    assert plan.duration < damped.duration  # without unresolved oscillations it even finds a shorter one
    replay = plan.replay()
    assert replay.tip_miss < 1e-4
    assert replay.energy_left < 1e-4
    assert "Lobatto collocation of degree" in plan.summary()


@pytest.mark.slow
@pytest.mark.parametrize("intervals", [40, 100])
@pytest.mark.parametrize("full", [0.05, 0.1])
@pytest.mark.parametrize("torques", [(1.0, 0.5), (4.0, 2.0)])
def test_shortest_time_converges_and_settles(torques, full, intervals):
    """From the default start, whatever the torque."""
    plan = optim.plan(two_link_arm(), quarter_turn(torques, full), intervals=intervals, refine=True)
    assert plan.status == "optimal"
    assert [attempt.status for attempt in plan.attempts] == ["converged"] * len(plan.attempts)
    replay = plan.replay()
    assert replay.tip_miss < 1e-4
    assert replay.energy_left < 1e-4


def test_states_keep_their_limits_with_points_at_both_ends():
    """A limit at the points inside intervals and at mesh points, none of them twice."""
    torque, speed = 0.6, 0.5
    problem = swing(1.5, 4.0, limits={TORQUE: torque, "der(joint1.angle)": speed})
    plan = optim.plan(hinge(), problem, intervals=10, scheme="lobatto", degree=4)
    assert len(plan.model.state_limit) == 10 * 2
    assert plan.trajectory["der(joint1.angle)"].max() == pytest.approx(speed, abs=1e-6)
    assert plan.replay().tip_miss < 1e-6


@pytest.mark.parametrize(
    ("scheme", "degree", "message"),
    [
        ("lobato", 3, "Did you mean lobatto"),
        ("lobatto", 1, "from 2 to 9"),
        ("radau", 10, "from 1 to 9"),
        ("radau", 2.5, r"degree = 2\.5"),
    ],
)
def test_unknown_schemes_are_refused(scheme, degree, message):
    with pytest.raises(optim.ProblemError, match=message):
        optim.plan(hinge(1.0), swing(1.0, 2.0), scheme=scheme, degree=degree)


@pytest.mark.slow
def test_random_pairs_from_the_default_start():
    rng, arm, turn = np.random.default_rng(0), two_link_arm(), quarter_turn()
    for start, goal in rng.uniform(-np.pi / 2, np.pi / 2, (12, 2, 2)):
        ends = (dict(zip(turn.start, end.tolist(), strict=True)) for end in (start, goal))
        plan = optim.plan(arm, replace(turn, **dict(zip(("start", "goal"), ends, strict=True))), intervals=40)
        assert plan.status == "converged"
        assert plan.replay().tip_miss < 0.5e-3


def test_refined_until_it_replays():
    problem = quarter_turn((4.0, 2.0), duration=2.0, objective="effort")
    coarse = optim.plan(two_link_arm(), problem, intervals=10)
    plan = optim.plan(two_link_arm(), problem, intervals=10, refine=1e-4)
    assert coarse.replay().tip_miss > 1e-4
    replay = plan.replay()
    assert replay.tip_miss < 1e-4
    assert replay.energy_left < 1e-4
    assert plan.status == "optimal"
    # Ten intervals of Radau's swallow more than may be left: the same ten by Lobatto's.
    assert plan.transcription.scheme.name == "lobatto"
    intervals = [attempt.intervals for attempt in plan.attempts]
    assert intervals[:2] == [10, 10]
    assert intervals == sorted(intervals)
    assert plan.attempts[0].tip_miss == pytest.approx(coarse.replay().tip_miss, abs=1e-8)
    assert plan.attempts[-1].tip_miss == pytest.approx(replay.tip_miss, abs=1e-8)


def test_plan_that_does_not_replay_is_not_called_optimal(monkeypatch):
    monkeypatch.setattr("flexblocks.optim.refine.MOST_INTERVALS", 20)
    problem = quarter_turn((4.0, 2.0), duration=2.0, objective="effort")
    plan = optim.plan(two_link_arm(), problem, intervals=10, refine=1e-9)
    assert plan.status == "unresolved"
    assert [attempt.intervals for attempt in plan.attempts] == [10, 10, 10, 20]
    assert "unresolved" in plan.summary()


def test_start_from_a_plan_loses_nothing_on_a_finer_mesh():
    """Twice the intervals, the same polynomials: the coarse motion again, stretched in time where asked."""
    arm, problem = two_link_arm(), quarter_turn((4.0, 2.0), duration=1.5, objective="effort")
    coarse = optim.plan(arm, problem, intervals=20)
    m = optim.pyomo_model(arm, problem, intervals=40)
    start_from(m, coarse.model)
    m.effort.outputs["cost"].set_value(0.0)
    same = optim.Plan.from_model(m)
    t = np.linspace(0, 1.5, 50)
    np.testing.assert_allclose(same.inputs["motor1.torque"](t), coarse.inputs["motor1.torque"](t), atol=1e-9)
    for name in ("joint1.angle", "der(link1.bending_y[1])"):
        np.testing.assert_allclose(same.trajectory[name][6::6], coarse.trajectory[name][3::3], atol=1e-9)
    slow = optim.pyomo_model(arm, quarter_turn((4.0, 2.0), duration=(3.0, 4.0), objective="effort"), intervals=20)
    start_from(slow, coarse.model)
    assert slow.T.value == 3.0
    assert slow.v[10, "joint1.angle"].value == pytest.approx(coarse.model.v[10, "joint1.angle"].value / 2)
    assert slow.a[4, 2, "joint1.angle"].value == pytest.approx(coarse.model.a[4, 2, "joint1.angle"].value / 4)
    assert slow.u[7, "motor2.torque"].value == pytest.approx(coarse.model.u[7, "motor2.torque"].value)


def test_another_way_where_the_straight_one_fails(monkeypatch):
    """Effort in the objective, less from stage to stage, when the asked objective cannot be solved for at once."""
    from flexblocks.optim import stages

    solve, seen = stages.Solving.attempt, []

    def failing_once(self, what, model, before, **options):
        seen.append(what)
        few = {"max_iter": 2} if len(seen) == 2 else options
        return solve(self, what, model, before, **few)

    monkeypatch.setattr(stages.Solving, "attempt", failing_once)
    problem = swing(1.5, objective="time", limits={TORQUE: 0.6, f"der({TORQUE})": 6.0})
    plan = optim.plan(hinge(), problem, intervals=20)
    assert [attempt.what for attempt in plan.attempts] == seen
    assert [attempt.status for attempt in plan.attempts] == ["converged", "iterationLimit", *["converged"] * 4]
    assert plan.duration == pytest.approx(2 * np.sqrt(1.5 * INERTIA / 0.6), rel=0.05)


def test_failure_tells_all_attempts():
    """Nothing arrives within 0.5 s with that torque: the shortest time is 1.73 s."""
    problem = swing(1.5, (0.3, 0.5), objective="time", limits={TORQUE: 0.6})
    with pytest.raises(optim.PlanError, match=r"joint1\.angle") as caught:
        optim.plan(hinge(), problem, intervals=10)
    least, loosened = caught.value.plan.attempts
    assert least.status == "locallyInfeasible"
    assert loosened.duration == pytest.approx(2 * np.sqrt(1.5 * INERTIA / 0.6), rel=0.01)


def test_jumps_are_warned_of():
    arm = two_link_arm(links=1)
    ends = {"joint1.angle": 0.0}, {"joint1.angle": 0.5}
    problem = optim.RestToRest(*ends, "free", objective="time", limits={TORQUE: 1.0})
    with pytest.warns(optim.PlanWarning, match=r"rate of motor1\.torque.*der\(motor1\.torque\)"):
        optim.plan(arm, problem, intervals=10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weighed = optim.RestToRest(*ends, "free", objective=optim.Time() + optim.Effort(), limits={TORQUE: 1.0})
        optim.plan(arm, weighed, intervals=10)


def test_objectives_add_up():
    objective = optim.Time() + 0.1 * (optim.Effort(0.5) + 2 * optim.Vibration()) + optim.Time()
    assert objective.terms == ((2.0, optim.Time()), (0.1, optim.Effort(0.5)), (0.2, optim.Vibration()))
    assert str(objective).startswith("2 (time")
    for malformed, message in ((lambda: -1 * optim.Time(), "weight = -1"), (lambda: 0 * optim.Time(), "weights are 0")):
        with pytest.raises(optim.ProblemError, match=message):
            malformed()
    with pytest.raises(TypeError):
        optim.Time() + 1


@pytest.mark.parametrize(
    ("duration", "objective", "message"),
    [
        (1.0, "time", "fixed time cannot be minimised"),
        ("free", "effort", "a slower motion always takes less"),
        ((1.0, 0.5), "time", "0 < low < high"),
        ((0.0, 0.5), "time", "0 < low < high"),
        ((1.0,), "time", r"range \(low, high\)"),
        ("open", "time", r"range \(low, high\)"),
        ("free", "tme", "Did you mean time"),
    ],
)
def test_malformed_problems_are_refused(duration, objective, message):
    with pytest.raises(optim.ProblemError, match=message):
        swing(1.0, duration, objective=objective)


def test_shortest_time_without_limits_is_refused():
    with pytest.raises(optim.ProblemError, match="nothing limits how fast"):
        optim.pyomo_model(hinge(), swing(1.0, objective="time"))
    with pytest.raises(optim.ProblemError, match="refine = 'fine'"):
        optim.plan(hinge(1.0), swing(1.0, 2.0), refine="fine")
