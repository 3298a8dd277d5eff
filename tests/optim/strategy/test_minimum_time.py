"""Free durations: closed forms of the double integrator, derivatives, objectives."""

import casadi as ca
import numpy as np
import pyomo.environ as pyo
import pytest

from arms.library import subudhi_morris
from arms.turns import INERTIA, TORQUE, hinge, quarter_turn, swing
from flexblocks import optim
from flexblocks.optim.collocation.cost_functions import integral_kernel, squared_inputs
from flexblocks.optim.collocation.equations_of_motion import interval_kernel
from flexblocks.optim.collocation.input_parametrization import input_shape
from flexblocks.optim.collocation.interval import IntervalForm
from flexblocks.optim.collocation.schemes import radau


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
    dae = subudhi_morris(links=1)
    kernel = interval_kernel(dae, IntervalForm(radau(2), input_shape("cubic"), free))
    w, p, lam = (ca.SX.sym(name, n) for name, n in (("w", kernel.n_w), ("p", kernel.n_p), ("lam", kernel.n_residual)))
    r = kernel.residual.expand()(w, p)
    whole = ca.Function("whole", [w, p, lam], [ca.jacobian(r, w), ca.triu(ca.hessian(ca.dot(lam, r), w)[0])])
    rng = np.random.default_rng(3)
    point = rng.uniform(0.5, 1.5, kernel.n_w), [0.1, 3.0, 2.0], rng.normal(size=kernel.n_residual)
    patterns = kernel.jacobian_pattern, kernel.hessian_pattern
    found = kernel.jacobian(*point[:2]), kernel.hessian(*point, 1.0)
    for pattern, values, expected in zip(patterns, found, whole(*point), strict=True):
        dense = np.zeros(expected.shape)
        dense[pattern.row, pattern.col] = values.full().ravel()
        np.testing.assert_allclose(dense, expected.full(), atol=1e-10 * np.abs(expected.full()).max())


def test_residual_is_that_of_the_fixed_duration():
    dae = subudhi_morris(links=1)
    fixed, free = (interval_kernel(dae, IntervalForm(radau(3), input_shape("cubic"), free)) for free in (False, True))
    w = np.random.default_rng(4).normal(size=fixed.n_w)
    expected = fixed.residual(w, [0.06, 3.0, 2.0])
    np.testing.assert_allclose(free.residual([*w, 1.5], [0.04, 3.0, 2.0]), expected, atol=1e-12)
    knots = np.random.default_rng(5).normal(size=4)
    cost = squared_inputs(input_shape("cubic"), optim.Effort(rate_weight=0.01).input_weights("a"))(knots, 0.06)
    free_cost = squared_inputs(input_shape("cubic"), optim.Effort(rate_weight=0.01).input_weights("a"), True)(
        [*knots, 1.5], 0.04
    )
    assert float(free_cost) == float(cost)
    kernels = (integral_kernel(dae, IntervalForm(radau(3), input_shape("cubic"), is_free), optim.Vibration())
               for is_free in (False, True))  # fmt: skip
    values = (kernel.cost([*w, *more], [step, 0.0])
              for kernel, more, step in zip(kernels, ([], [1.5]), (0.06, 0.04), strict=True))  # fmt: skip
    assert float(next(values)) == pytest.approx(float(next(values)), rel=1e-12)


def test_vibration_is_the_integral_of_the_elastic_energy():
    """Against the replay: all potential energy of this arm is elastic. And less of it than with least effort."""
    arm = subudhi_morris()
    objectives = optim.Vibration() + 1e-3 * optim.Effort(), optim.Effort()
    calm, plain = (
        optim.plan(arm, quarter_turn((4.0, 2.0), 0.2, 1.0, objective), intervals=40) for objective in objectives
    )
    stored = []
    for plan in (calm, plain):
        motion = plan.replay().trajectory
        stored.append(np.trapezoid(motion["potential_energy"], motion.t))
    assert pyo.value(calm.pyomo_model.vibration.outputs["cost"]) == pytest.approx(stored[0], rel=2e-3)
    assert stored[0] < 0.98 * stored[1]


def test_objectives_add_up():
    objective = optim.Time() + 0.1 * (optim.Effort(0.5) + 2 * optim.Vibration()) + optim.Time()
    assert objective.terms == ((2.0, optim.Time()), (0.1, optim.Effort(0.5)), (0.2, optim.Vibration()))
    assert str(objective).startswith("2 (time")
    for malformed, message in ((lambda: -1 * optim.Time(), "weight = -1"), (lambda: 0 * optim.Time(), "weights are 0")):
        with pytest.raises(optim.ProblemError, match=message):
            malformed()
    assert sum([optim.Time(), optim.Effort()]).terms == (optim.Time() + optim.Effort()).terms
    for malformed in (lambda: optim.Time() + 1, lambda: 1 + optim.Time(), lambda: optim.Time() * optim.Effort()):
        with pytest.raises(optim.ProblemError, match="Objective: "):
            malformed()


@pytest.mark.parametrize(
    ("duration", "objective", "message"),
    [
        (1.0, "time", "fixed time cannot be minimised"),
        ("free", "effort", "a slower motion always costs less"),
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
