"""Plans keep the limits of joints without a word, as closed forms say, unless the problem has limits of its own."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from arms.limited import limited
from flexblocks import optim

SIZES = [0.1, 30.0]
EFFORT = optim.Effort(rate_weight=0.0)
THERE_AND_BACK = {"joint1.angle": 0.0, "der(joint1.angle)": 1.0}, {"joint1.angle": 0.0, "der(joint1.angle)": -1.0}, 1.0


@cache
def arm(size: float = 1.0, **limits: float) -> fb.DAE:
    return fb.assemble(limited(fb.Revolute("joint1", **limits), size))


def planned(dae: fb.DAE, *task, intervals: int = 30, **options) -> optim.Plan:
    return optim.plan(dae, optim.RestToRest(*task, objective=EFFORT, **options), intervals=intervals)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("high", "cost"), [(None, 4.0), (1 / 6, 4.0 * (1 + 3 * (1 / 3) ** 2)), (1 / 9, 8.0)])
def test_an_upper_limit_costs_what_bryson_and_denham_say(size, high, cost):
    """Bryson and Ho, Applied Optimal Control, section 3.11: integral of a^2 with x <= high, which is 1/4 without."""
    plan = planned(arm(size, high=high), *THERE_AND_BACK)
    assert plan.objective == pytest.approx(cost * (2.0 * size**2) ** 2, rel=1e-3)
    assert plan.trajectory["joint1.angle"].max() == pytest.approx(high or 0.25, rel=1e-3)


@pytest.mark.parametrize("size", SIZES)
def test_a_largest_speed_costs_what_ramps_and_a_cruise_do(size):
    """Ramps with an acceleration that falls to zero, of length t = 1.5 (T - way / speed) each: 8/3 speed^2 / t."""
    way, speed, duration = 1.0, 0.8, 1.5
    ramp = 1.5 * (duration - way / speed)
    plan = planned(arm(size, max_speed=speed), {"joint1.angle": way}, {"joint1.angle": 0.0}, duration)
    assert plan.objective == pytest.approx(8 / 3 * speed**2 / ramp * (2.0 * size**2) ** 2, rel=1e-3)
    assert plan.trajectory["der(joint1.angle)"].min() == pytest.approx(-speed, rel=1e-4)


def test_a_slide_is_kept_likewise():
    dae = fb.assemble(limited(fb.Prismatic("slide", high=1 / 9)))
    start, goal = ({"slide.displacement": 0.0, "der(slide.displacement)": rate} for rate in (1.0, -1.0))
    assert planned(dae, start, goal, 1.0).objective == pytest.approx(8.0 * 2.0**2, rel=1e-3)


def test_they_are_bounds_of_states():
    dae = arm(low=-1.0, high=1.0, max_speed=2.0)
    problem = optim.RestToRest({"joint1.angle": 0.0}, {"joint1.angle": 0.5}, 1.0)
    bare = optim.RestToRest(*THERE_AND_BACK, limits={"joint1.angle": (-1.0, 1.0), "der(joint1.angle)": 2.0})
    own, named = optim.pyomo_model(dae, problem, intervals=4), optim.pyomo_model(arm(), bare, intervals=4)
    assert own.nconstraints() == named.nconstraints()
    assert own.nvariables() == named.nvariables()


@pytest.mark.parametrize("own", [{"joint1.angle": (-1.0, 0.2)}, {"joint1.angle": (None, 1 / 6)}])
def test_limits_of_the_problem_replace_them(own):
    """By a narrower and by a wider one, which gives a warning."""
    wider = own["joint1.angle"][1] > 1 / 9
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        plan = planned(arm(low=-1.0, high=1 / 9), *THERE_AND_BACK, limits=own)
    told = [str(each.message) for each in caught if "exceed those of the joints" in str(each.message)]
    assert len(told) == wider
    assert plan.trajectory["joint1.angle"].max() == pytest.approx(own["joint1.angle"][1], rel=1e-3)


def test_none_switches_them_off():
    plan = planned(arm(high=1 / 9, max_speed=0.5), *THERE_AND_BACK, limits=dict.fromkeys(RATES, (None, None)))
    assert plan.objective == pytest.approx(4.0 * 2.0**2, rel=1e-6)


RATES = ("joint1.angle", "der(joint1.angle)")


def test_a_phase_replaces_them_for_itself():
    dae = arm(max_speed=0.8)
    phases = [
        optim.Phase("out", {"joint1.angle": 1.0}, 1.5, limits={"der(joint1.angle)": (None, None)}),
        optim.Phase("back", {"joint1.angle": 0.0}, 1.5),
    ]
    problem = optim.Problem({"joint1.angle": 0.0}, phases, objective=EFFORT)
    plan = optim.plan(dae, problem, intervals=15)
    rate = plan.trajectory["der(joint1.angle)"]
    assert rate.max() == pytest.approx(1.0, rel=1e-2)
    assert rate.min() == pytest.approx(-0.8, rel=1e-4)


@pytest.mark.parametrize(("start", "goal", "where"), [(1.2, 0.5, "start"), (0.0, 1.2, "goal")])
def test_an_end_beyond_them_is_refused(start, goal, where):
    with pytest.raises(optim.ProblemError, match=rf"{where}: joint1.angle = 1.2 rad; its limits are -1 to 1"):
        planned(arm(low=-1.0, high=1.0), {"joint1.angle": start}, {"joint1.angle": goal}, 1.0)


def test_a_duration_that_the_largest_speed_does_not_allow_is_refused():
    with pytest.raises(optim.ProblemError, match=r"joint1.angle has to change by 1 rad, which takes 2 s at least"):
        planned(arm(max_speed=0.5), {"joint1.angle": 0.0}, {"joint1.angle": 1.0}, 1.5)


def test_a_replay_says_what_exceeds_them_and_warns_of_nothing():
    plan = planned(arm(high=1 / 6), *THERE_AND_BACK)
    assert all(excess.name == "joint1.angle" for excess in plan.replay().excesses)


def test_a_flexible_arm_keeps_the_angle_of_its_link():
    """The spring swings the link beyond its goal on the way, unless the joint's limit is there."""
    model = fb.Model("elastic")
    ground, load = model.add(fb.Ground("ground")), model.add(fb.Payload("load", 1.0, inertia=0.1))
    joint = model.add(fb.FlexibleJoint("joint1", inertia=0.05, stiffness=20.0, high=0.14))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, load.frame_a)
    dae = fb.assemble(model)
    ends = [{"joint1.angle": 0.0, "joint1.rotor.angle": 0.0} | rates for rates in ({"der(joint1.angle)": 1.0}, {})]
    free = planned(dae, ends[0], {"joint1.angle": 0.0}, 1.0, limits={"joint1.angle": (None, None)})
    kept = planned(dae, ends[0], {"joint1.angle": 0.0}, 1.0)
    assert np.max(free.trajectory["joint1.angle"]) > 0.145
    assert np.max(kept.trajectory["joint1.angle"]) < 0.14 * (1 + 1e-3)


def test_a_limit_where_the_joint_cannot_be_is_refused():
    """A limit may be wider than that of a joint, whose place it takes, but not elsewhere; nor may one of a phase."""
    dae, ends = arm(low=-1.0, high=1.0), ({"joint1.angle": 1.5}, {"joint1.angle": 1.8})
    message = r"joint1\.angle = \(1\.01, 2\); excludes the whole range of the model's own limits, -1 to 1 rad"
    beyond = {"joint1.angle": (1.01, 2.0)}
    with pytest.raises(optim.ProblemError, match=message):
        planned(dae, *ends, 1.0, limits=beyond)
    phase = optim.Phase("there", ends[1], 1.0, limits=beyond)
    with pytest.raises(optim.ProblemError, match=message):
        optim.plan(dae, optim.Problem(ends[0], (phase,)), intervals=4)
