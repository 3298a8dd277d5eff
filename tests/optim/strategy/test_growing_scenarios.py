"""Scenarios are added to a plan from the extremes inwards."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from arms.loads import at, hinge
from flexblocks import optim
from flexblocks.optim.collocation.transcription_options import transcription_options
from flexblocks.optim.errors import PlanError
from flexblocks.optim.planner import plan_with
from flexblocks.optim.strategy.scenario_order import growing_sets, places, spread_out
from flexblocks.optim.strategy.solving import Solving, solve_with

MASSES = (0.6, 1.0, 1.4)
POINTS = arrays.arrays(float, st.tuples(st.integers(2, 9), st.integers(1, 3)), elements=st.floats(-10, 10, width=16))


def swing(aggregate: str = "mean") -> optim.Problem:
    return optim.Problem(
        at(0.0),
        (optim.Phase("swing", at(1.0), 1.2),),
        optim.Integral("der(joint1.angle)**2") + optim.Effort(rate_weight=0.01),
        scenarios=[{"payload.mass": mass} for mass in MASSES],
        aggregate=aggregate,
    )


def test_gaps_are_halved_on_a_line():
    points = np.array([[3.0], [0.0], [4.0], [1.0], [2.0]])
    assert list(growing_sets(points)) == [(1, 2), (1, 2, 4), (0, 1, 2, 3, 4)]


@given(POINTS)
def test_sets_grow_from_those_farthest_apart_to_all(points):
    sets = list(growing_sets(points))
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    assert apart[np.ix_(sets[0], sets[0])].max() == apart.max()
    assert len(sets[0]) == 2
    assert sets[-1] == tuple(range(len(points)))
    for few, more in pairwise(sets):
        assert set(few) < set(more)
        assert len(more) <= 2 * len(few)


@given(POINTS)
def test_places_are_nearest_between_two(points):
    """A member is where it is; and no member is nearer to a point than its place."""
    for members in growing_sets(points):
        ends = points[list(members)]
        for point, place in zip(points, places(points, members), strict=True):
            at_place = (1 - place.share) * ends[place.first] + place.share * ends[place.second]
            assert 0.0 <= place.share <= 1.0
            assert np.linalg.norm(at_place - point) <= np.linalg.norm(ends - point, axis=1).min() + 1e-8
        for member, place in zip(members, places(ends, range(len(members))), strict=True):
            np.testing.assert_allclose(
                (1 - place.share) * ends[place.first] + place.share * ends[place.second], points[member], atol=1e-8
            )


def test_parameters_count_by_how_far_they_differ():
    """A stiffness in N m/rad and a mass in kg; what is the same in all makes no difference."""
    spread = spread_out(np.array([[1e6, 0.1, 5.0], [3e6, 0.2, 5.0]]))
    np.testing.assert_allclose(spread[1] - spread[0], [1.0, 1.0, 0.0])


@pytest.mark.parametrize(("aggregate", "solved"), [("mean", 0), ("worst", 1), ("mean", 2)])
def test_what_is_ended_is_a_plan_of_all_scenarios(aggregate, solved):
    """Ended in the solve of the mean, of the extremes or of all: what is left has every scenario, and a cost."""
    calls = []

    def solve(model, options):
        calls.append(len(model.transcribed.runs))
        if len(calls) > solved:
            options = options | {"max_iter": 0}
        try:
            return solve_with(model, options)
        except PlanError as error:
            error.plan = replace(error.plan, status="interrupted")
            raise

    dae = hinge(servo=True)
    options = transcription_options({"intervals": 20})
    with pytest.raises(PlanError) as caught:
        plan_with(Solving(dae, None, solve), swing(aggregate), options)
    assert calls == [1, 2, 3][: solved + 1]
    plan = caught.value.plan
    assert plan.status == "interrupted"
    assert [motion.p["payload.mass"] for motion in plan.trajectories] == list(MASSES)
    assert np.isfinite(plan.objective)
    assert plan.objective > 0
    assert len(plan.attempts) == solved + 1
    again = optim.solve(plan.pyomo_model)
    assert again.objective == pytest.approx(optim.plan(dae, swing(aggregate), intervals=20).objective, rel=1e-6)
