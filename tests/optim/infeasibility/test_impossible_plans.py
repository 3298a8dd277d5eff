"""Plans that cannot be: each is refused with its cause, by name, time and amount."""

import numpy as np
import pyomo.environ as pyo
import pytest

from arms.library import subudhi_morris
from arms.turns import INERTIA, hinge
from flexblocks import optim
from flexblocks.errors import FlexblocksError
from flexblocks.optim.infeasibility.diagnose import estimate

TORQUE, ANGLE, RATE = "motor1.torque", "joint1.angle", "der(joint1.angle)"


def swing(**more):
    return optim.RestToRest(**{"start": {ANGLE: 0.2}, "goal": {ANGLE: 1.7}, "duration": 2.0} | more)


def conflict_of(dae, problem, **options):
    with pytest.raises(optim.PlanError) as caught:
        optim.plan(dae, problem, **options)
    assert str(caught.value.report) in str(caught.value)
    # It ends within the budget of all solves.
    assert sum(attempt.iterations or 0 for attempt in caught.value.plan.attempts) <= 600
    return caught.value.report


def test_torque_that_is_too_small():
    """1.5 rad in 2 s take 4 I d / T^2 = 0.45 N m, first one way, then the other."""
    report = conflict_of(hinge(), swing(limits={TORQUE: 0.4}), intervals=40)
    assert [side.name for side in report.giving] == [TORQUE, TORQUE]
    for side in report.giving:
        assert side.unit == "N m"
        assert side.excess == pytest.approx(0.05, abs=1e-3)
    up, down = sorted(report.giving, key=lambda side: -side.limit)
    assert (up.limit, down.limit) == (0.4, -0.4)
    assert (up.begin, down.end) == pytest.approx((0.0, 2.0), abs=0.05)
    assert (up.end, down.begin) == pytest.approx((1.0, 1.0), abs=0.1)
    assert f"{TORQUE} at 0..{up.end:.3g} s beyond its limit 0.4 N m by 0.05" in str(report)


def test_range_of_durations_that_is_too_short():
    """The shortest time is 2 sqrt(I d / u) = 1.732 s; full torque one way, then the other, stands against less."""
    problem = swing(duration=(0.3, 0.5), objective="time", limits={TORQUE: 0.6})
    report = conflict_of(hinge(), problem, intervals=20)
    (side,) = report.giving
    assert (side.name, side.limit, side.begin) == ("duration", 0.5, None)
    assert side.excess == pytest.approx(2 * np.sqrt(1.5 * INERTIA / 0.6) - 0.5, abs=5e-3)
    assert {(one.name, one.limit) for one in report.against} == {(TORQUE, 0.6), (TORQUE, -0.6)}
    assert "duration beyond its limit 0.5 s by 1.2" in str(report)


def test_limits_that_stand_against_each_other():
    """With the torque at hand the hinge must be faster than its limit."""
    report = conflict_of(hinge(), swing(limits={RATE: 0.8, TORQUE: 1.0}), intervals=20)
    (side,) = report.giving
    assert (side.name, side.unit) == (RATE, "rad/s")
    # Accelerate at a = u / I to v, coast, brake: d = v T - v^2 / a.
    a = 1.0 / INERTIA
    least = a / 2 * (2 - np.sqrt(4 - 4 * 1.5 / a))
    assert side.excess == pytest.approx(least - 0.8, rel=0.05)
    assert {one.name for one in report.against} == {TORQUE}
    assert 0.0 <= side.begin < side.end <= 2.0


def test_users_constraint_is_named():
    m = optim.pyomo_model(hinge(), swing(), intervals=10)
    m.mine = pyo.Constraint(expr=m.q[5, ANGLE] >= 4.0)
    m.yours = pyo.Constraint(expr=m.q[5, ANGLE] <= 1.0)
    values = [variable.value for variable in m.component_data_objects(pyo.Var)]
    report = optim.diagnose(m)
    assert {side.name for side in (*report.giving, *report.against)} == {"mine", "yours"}
    assert sum(side.excess for side in report.giving) == pytest.approx(3.0, rel=1e-3)
    assert [variable.value for variable in m.component_data_objects(pyo.Var)] == values
    assert len(list(m.component_data_objects(pyo.Objective, active=True))) == 1


def test_limits_that_can_be_kept():
    """No widening, and the shares of the objective do not buy any."""
    report = optim.diagnose(optim.pyomo_model(hinge(), swing(limits={TORQUE: 0.46}), intervals=20))
    assert report.is_feasible
    assert "can be kept" in str(report)


def test_deflection_that_the_duration_forces():
    """A beam limited to a tenth of what it bends in the best plan for that."""
    dae = subudhi_morris(links=1, modes=1)
    asked = {"start": {ANGLE: 0.0}, "goal": {ANGLE: 1.0}, "duration": 0.8, "input_ends": "holding"}
    report = conflict_of(dae, optim.RestToRest(**asked, limits={"link1.tip_deflection_y": 0.01}), intervals=15)
    assert {side.name for side in report.giving} == {"link1.tip_deflection_y"}
    assert {side.unit for side in report.giving} == {"m"}
    wider = 0.01 + 1.02 * max(side.excess for side in report.giving)
    with pytest.warns(optim.PlanWarning, match=r"between collocation points.*tip_deflection_y at .* by 0\.000"):
        kept = optim.plan(dae, optim.RestToRest(**asked, limits={"link1.tip_deflection_y": wider}), intervals=15)
    assert kept.status == "converged"


def test_rigid_arm_tells_where_no_solve_does():
    """A quintic of d in T takes 10 I d / (sqrt(3) T^2) of torque and 15 d / (8 T) of rate."""
    limits = {TORQUE: 0.2, RATE: 1.3}
    report = estimate(optim.pyomo_model(hinge(), swing(limits=limits), intervals=4))
    assert report.estimated
    beyond = {side.name: side.excess for side in report.giving}
    assert beyond[TORQUE] == pytest.approx(10 / np.sqrt(3) * INERTIA * 1.5 / 4 - 0.2, rel=1e-2)
    assert beyond[RATE] == pytest.approx(15 / 8 * 1.5 / 2 - 1.3, rel=1e-2)
    assert report.giving[0].name == TORQUE
    assert "As if rigid, on a quintic, the arm is\n  motor1.torque at" in str(report)
    assert estimate(optim.pyomo_model(hinge(), swing(limits={TORQUE: 2.0}), intervals=4)) is None


@pytest.mark.slow
def test_far_too_short_for_the_torques():
    """No solve converges, not even with all limits relaxed: the report still names the torques."""
    limits = {TORQUE: 1.0, "motor2.torque": 0.5}
    start, goal = ({ANGLE: a, "joint2.angle": b} for a, b in ((0.0, 0.0), (1.57, 0.5)))
    problem = optim.RestToRest(start, goal, 0.1, limits=limits)
    report = conflict_of(subudhi_morris(), problem, intervals=20)
    assert {side.name for side in report.giving} == {TORQUE, "motor2.torque"}


def test_degrees_are_suspected():
    with pytest.warns(optim.PlanWarning, match=r"90 rad is 14.3 turns away; .*math.radians\(90\) = 1.571"):
        optim.plan(hinge(), swing(goal={ANGLE: 90.0}), intervals=4)
    with pytest.raises(optim.ProblemError, match=r"motor1.torque.* 90 rad is 14.3 turns away; .*math.radians\(90\)"):
        optim.plan(hinge(), swing(goal={ANGLE: 90.0}, limits={TORQUE: 0.1}), intervals=4)
    with pytest.raises(optim.ProblemError, match=r"orientation = \(0, 0, 90\) rad; .*use \(0.0, 0.0, 1.57"):
        optim.Pose(orientation=(0, 0, 90))
    assert optim.Pose(orientation=(0, 0, 13.2)).orientation == (0, 0, 13.2)


TWELVE = {
    "a coordinate that is not there": (
        {"goal": {"joint3.angle": 1.0}},
        {},
        "no coordinate.*'joint3.angle'",
    ),
    "a misspelt limit": ({"limits": {"motor1.torqe": 1.0}}, {}, r"'motor1.torqe'.*Did you mean motor1.torque\?"),
    "a limit upside down": ({"limits": {TORQUE: (2.0, -2.0)}}, {}, "low < high"),
    "no time": ({"duration": 0.0}, {}, "duration = 0 s; must be > 0"),
    "a goal outside its limits": ({"limits": {ANGLE: 1.0}}, {}, "goal: joint1.angle = 1.7 rad; its limits are -1 to 1"),
    "a fixed time to be minimised": ({"objective": "time"}, {}, "a fixed time cannot be minimised"),
    "a free time that nothing limits": ({"objective": "time", "duration": "free"}, {}, "nothing limits how fast"),
    "too slow a joint": ({"limits": {RATE: 0.5}}, {}, r"der\(joint1.angle\) within -0.5 to 0.5 rad/s.* takes 3 s"),
    "one way only": ({"limits": {RATE: (-2.0, 0.0)}}, {}, "change by 1.5 rad, which never gets there"),
    "too weak a motor": ({"limits": {TORQUE: 0.4}}, {}, "motor1.torque at .* beyond its limit 0.4 N m by 0.05"),
    "too weak to hold": ({"limits": {TORQUE: 4.0}}, {"gravity": 9.81}, "motor1.torque = 4.8.* to hold the arm at rest"),
    "too sluggish a motor": (
        {"limits": {"der(motor1.torque)": 0.5}, "input_ends": "holding"},
        {},
        r"der\(motor1.torque\) at .* beyond its limit 0.5 N m/s by",
    ),
    "too slow a motor to hold": (
        {"limits": {"der(motor1.torque)": 0.5}, "input_ends": "holding"},
        {"gravity": 9.81},
        r"der\(motor1.torque\).*motor1.torque has to change by -5.4.* takes 10.88 s",
    ),
}


# Reported only after a solve that takes longer than the others.
LONG = ("too sluggish a motor",)


@pytest.mark.parametrize("case", [pytest.param(each, marks=[pytest.mark.slow] * (each in LONG)) for each in TWELVE])
def test_impossible_or_malformed_problems_name_their_cause(case):
    change, arm, message = TWELVE[case]
    with pytest.raises(FlexblocksError, match=f"(?s){message}"):
        optim.plan(hinge(**arm), swing(**change), intervals=20)


@pytest.mark.slow
def test_a_wall_across_the_way_is_refused_soon():
    wall = optim.KeepOut(optim.Cuboid((-3.0, 0.4, -3.0), (3.0, 0.75, 3.0)), frames="payload")
    dae = subudhi_morris()
    across = {"joint1.angle": 0.1, "joint2.angle": 0.2}, {"joint1.angle": 1.4, "joint2.angle": 0.2}
    task = optim.RestToRest(*across, duration=2.0, path=wall, limits={RATE: 2.0, "der(joint2.angle)": 2.0})
    assert conflict_of(dae, task, intervals=20) is not None
