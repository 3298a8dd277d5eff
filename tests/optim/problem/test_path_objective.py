"""Objectives along the path: jerk, tracking, expressions, final values."""

from __future__ import annotations

import math

import numpy as np
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import optim

INERTIA, DISTANCE = 0.3, 1.5


@pytest.fixture(scope="module")
def hinge():
    """A rigid body on a driven hinge: inertia about it 0.3 kg m2."""
    model = fb.Model("hinge")
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint1"))
    motor = model.add(fb.TorqueSource("motor1"))
    load = model.add(fb.Payload("payload", mass=1.0, inertia=0.05, center=(0.5, 0.0, 0.0)))
    model.connect(motor.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, load.frame_a)
    return fb.assemble(model)


def planned(dae, objective, duration=2.0, intervals=10, **more):
    problem = optim.RestToRest({"joint1.angle": 0.0}, {"joint1.angle": DISTANCE}, duration, objective=objective, **more)
    return optim.plan(dae, problem, intervals=intervals)


def test_least_jerk_is_the_quintic(hinge):
    """From torque zero to torque zero: the integral of der(u)^2 is 720 I^2 d^2 / T^5, of u^2 less by no plan."""
    plan = planned(hinge, optim.Jerk(), input_ends="holding")
    assert plan.objective == pytest.approx(720 * (INERTIA * DISTANCE) ** 2 / 2**5, rel=1e-9)
    s = np.linspace(0, 1, 21)
    np.testing.assert_allclose(
        plan.inputs["motor1.torque"](2 * s), INERTIA * DISTANCE * 60 * s * (1 - s) * (1 - 2 * s) / 4, atol=1e-8
    )


def test_least_second_derivative_is_the_septic(hinge):
    """With free rates at the ends the motion is a polynomial of degree 7: der(u) has natural ends."""
    plan = planned(hinge, optim.Jerk(order=2), input_ends="holding", intervals=40)
    # q = sum c_i s^i with q, q', q'' given at both ends and q'''' = 0 there (natural), of least integral of q''''^2.
    powers = np.arange(8)

    def row(s, order):
        factor = np.prod([powers - i for i in range(order)], axis=0) if order else np.ones(8)
        return factor * np.where(powers >= order, s ** np.maximum(powers - order, 0.0), 0.0)

    conditions = np.array([row(s, order) for s in (0.0, 1.0) for order in (0, 1, 2, 4)])
    c = np.linalg.solve(conditions, [0, 0, 0, 0, 1, 0, 0, 0])
    s = np.linspace(0, 1, 2001)
    fourth = np.array([row(x, 4) for x in s]) @ c
    assert plan.objective == pytest.approx((INERTIA * DISTANCE) ** 2 * np.trapezoid(fourth**2, s) / 2**7, rel=1e-4)


def test_integral_and_text_are_the_effort(hinge):
    """The collocation's quadrature of u^2, exact for degree 2 d - 2, against Gauss."""
    effort = planned(hinge, optim.Effort(rate_weight=0.01), (1.5, 2.5))
    for expression in (
        lambda s: s["motor1.torque"] ** 2 + 0.01 * s["der(motor1.torque)"] ** 2,
        "motor1.torque**2 + 0.01 * der(motor1.torque)**2",
    ):
        plan = planned(hinge, optim.Integral(expression), (1.5, 2.5))
        assert plan.objective == pytest.approx(effort.objective, rel=1e-5)
        assert plan.duration == pytest.approx(2.5, abs=1e-6)
    energy = planned(hinge, optim.Integral("time * der(joint1.angle)**2") + 1e-3 * optim.Effort())
    late = energy.trajectory["der(joint1.angle)"]
    assert np.interp(0.4, energy.trajectory.t, late) > np.interp(1.6, energy.trajectory.t, late)


@pytest.mark.parametrize("over", ["time", "share", "values"])
def test_tracking_follows(hinge, over):
    """A course that the arm can follow exactly costs nothing, and the arm follows it."""

    def septic(s):
        return DISTANCE * s**4 * (35 - 84 * s + 70 * s**2 - 20 * s**3)

    course = {
        "time": lambda t: septic(t / 2),
        "share": septic,
        "values": septic(np.linspace(0, 1, 401)),
    }[over]
    duration = 2.0 if over != "share" else (2.0, 2.1)
    path = optim.Tracking({"joint1.angle": course}, over="share" if over == "share" else "time")
    plan = planned(hinge, path + 1e-9 * optim.Effort(), duration, intervals=20)
    share = plan.trajectory.t / plan.duration
    np.testing.assert_allclose(plan.trajectory["joint1.angle"], septic(share), atol=2e-4)
    assert plan.objective < 1e-6


def test_tip_tracks_a_line():
    """The tip of a flexible arm keeps to a straight line much better than without the objective."""
    arm = subudhi_morris()
    start, goal = {"joint1.angle": 0.0, "joint2.angle": 0.9}, {"joint1.angle": 0.9, "joint2.angle": 0.9}
    ends = [np.array([0.5 * (np.cos(a) + np.cos(a + 0.9)), 0.5 * (np.sin(a) + np.sin(a + 0.9))]) for a in (0.0, 0.9)]

    def share(t):
        s = t / 2
        return s**3 * (10 - 15 * s + 6 * s**2)

    line = {
        f"payload.{axis}": lambda t, i=i: ends[0][i] + share(t) * (ends[1] - ends[0])[i] for i, axis in enumerate("xy")
    }
    missed = []
    for objective in (optim.Effort(), optim.Effort() + 1e3 * optim.Tracking(line)):
        trajectory = optim.plan(arm, optim.RestToRest(start, goal, 2.0, objective), intervals=20).trajectory
        missed.append(max(np.abs(trajectory[name] - f(trajectory.t)).max() for name, f in line.items()))
    assert missed[1] < 0.1 * missed[0]


def test_final_value_is_paid_for(hinge):
    """The torque at the very end; least effort ends with its largest."""
    free = planned(hinge, optim.Effort())
    plan = planned(hinge, optim.Effort() + 10.0 * optim.Final(lambda s: s["motor1.torque"] ** 2))
    assert abs(plan.inputs["motor1.torque"](2.0)) < 0.1 * abs(free.inputs["motor1.torque"](2.0))
    assert plan.objective > free.objective
    fixed = planned(hinge, optim.Final("2 * joint1.angle + payload.x"))  # both are given by the goal
    assert fixed.objective == pytest.approx(2 * DISTANCE, abs=1e-8)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: optim.Jerk(order=3), "order = 3; must be the integer 1 or 2"),
        (lambda: optim.Jerk(order=2.0), "order = 2.0; must be the integer 1 or 2"),
        (lambda: optim.Tracking({}), "must be a dict by name"),
        (lambda: optim.Tracking({"payload.x": "up"}), "must be a function of time, finite equidistant values"),
        (lambda: optim.Tracking({"payload.x": [0.0, np.nan]}), "finite"),
        (lambda: optim.Tracking({"payload.x": 0.0}, over="arc"), 'must be "time" or "share"'),
        (lambda: optim.Integral(3.0), "must be a function of names"),
        (lambda: optim.Final("joint1.angle +"), "cannot be read"),
    ],
)
def test_malformed(make, says):
    with pytest.raises(optim.ProblemError, match=says):
        make()


@pytest.mark.parametrize(
    ("objective", "more", "says"),
    [
        (optim.Tracking({"payload.q": 0.0}), {}, "Tracking: There is no 'payload.q'"),
        (optim.Tracking({"payload.x": lambda t: t[:2]}), {}, "fails on an array of 30 times"),
        (optim.Tracking({"payload.x": lambda t: t / 0.0}), {}, "returns NaN or too large numbers"),
        (optim.Tracking({"payload.x": lambda t: t}), {"duration": (1.0, 2.0)}, 'over="share"'),
        (optim.Integral(lambda s: s["angle"]), {}, "Integral: There is no 'angle'"),
        (optim.Integral(lambda s: s["joint1.angle"] if s["joint1.angle"] > 0 else 0), {}, "RuntimeError.*ca.if_else"),
        (optim.Integral(lambda s: math.sin(s["joint1.angle"])), {}, "Integral: .* gives nan; .*ca.sin and not"),
        (optim.Integral(lambda s: {}["mine"]), {}, "Integral: .* fails: KeyError: 'mine'"),
        (optim.Tracking({"payload.x": lambda t: 1 / 0}), {}, "fails on an array of 30 times: ZeroDivisionError"),
        (optim.Jerk(2), {"inputs": "linear"}, 'use inputs="cubic"'),
        (optim.Jerk(), {"inputs": "constant"}, 'use inputs="cubic"'),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning", "ignore:invalid value:RuntimeWarning")
def test_what_cannot_be_minimised(hinge, objective, more, says):
    problem = optim.RestToRest(
        {"joint1.angle": 0.0}, {"joint1.angle": 1.0}, more.get("duration", 2.0), objective=objective
    )
    with pytest.raises(optim.ProblemError, match=says):
        optim.pyomo_model(hinge, problem, intervals=10, inputs=more.get("inputs", "cubic"))
