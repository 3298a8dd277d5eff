"""Scenarios are added to a plan from the extremes inwards."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from flexblocks.optim.strategy.scenario_order import growing_sets, place_between, spread_out

POINTS = arrays.arrays(float, st.tuples(st.integers(2, 9), st.integers(1, 3)), elements=st.floats(-10, 10, width=16))


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
        for point, place in zip(points, (place_between(one, ends) for one in points), strict=True):
            at_place = (1 - place.share) * ends[place.first] + place.share * ends[place.second]
            assert 0.0 <= place.share <= 1.0
            assert np.linalg.norm(at_place - point) <= np.linalg.norm(ends - point, axis=1).min() + 1e-8
        for member, place in zip(members, (place_between(one, ends) for one in ends), strict=True):
            np.testing.assert_allclose(
                (1 - place.share) * ends[place.first] + place.share * ends[place.second], points[member], atol=1e-8
            )


def test_parameters_count_by_how_far_they_differ():
    """A stiffness in N m/rad and a mass in kg; what is the same in all makes no difference."""
    spread = spread_out(np.array([[1e6, 0.1, 5.0], [3e6, 0.2, 5.0]]))
    np.testing.assert_allclose(spread[1] - spread[0], [1.0, 1.0, 0.0])
