"""Places that every motion along a line comes through: with such a place barred, a tube has no way from end to end."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import ndimage

from flexblocks.optim.presolve.refusals.passages import passages

TOLERANCE = 0.1
CELL = 0.02  # of a grid on which motions are looked for
corner = st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))


def distance(points: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return the distances of places (..., 2) from a line."""
    near = np.full(places.shape[:-1], np.inf)
    for a, b in pairwise(points):
        share = np.clip((places - a) @ (b - a) / np.sum((b - a) ** 2), 0.0, 1.0)
        near = np.minimum(near, np.linalg.norm(places - a - share[..., None] * (b - a), axis=-1))
    return near


@given(st.lists(corner, min_size=2, max_size=6))
def test_no_motion_in_the_tube_passes_farther_off(corners: list[tuple[float, float]]) -> None:
    points = np.array(corners)
    assume(np.linalg.norm(np.diff(points, axis=0), axis=1).min() > 1e-3)
    found = passages(points, TOLERANCE, points[0], points[-1], 7)
    axis = np.arange(-1.2, 1.2, CELL)
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1)
    tube = distance(points, grid) < TOLERANCE
    ends = [tuple(np.round((point - axis[0]) / CELL).astype(int)) for point in (points[0], points[-1])]
    for share, *place in found:
        assert 0.0 < share < 1.0
        assert distance(points, np.array(place)) < 1e-9
        # Ends within the barred disc have passed there already; steps across are as long as the diagonal of a cell.
        barred = np.linalg.norm(grid - place, axis=-1) < TOLERANCE + CELL
        labels, _ = ndimage.label(tube & ~barred, np.ones((3, 3)))
        first, last = (labels[end] for end in ends)
        assert not first or not last or first != last


def test_a_straight_line_has_them_evenly() -> None:
    found = passages(np.array([[0.0, 0.0, 0.0], [4.0, 0.0, 3.0]]), 0.1, np.zeros(3), np.array([4.0, 0.0, 3.0]), 4)
    shares = np.linspace(0.2, 0.8, 4)
    np.testing.assert_allclose(found, shares[:, None] * [1.0, 4.0, 0.0, 3.0] + [[0, 0, 0, 0]], atol=1e-12)


def test_it_counts_from_the_start_of_the_motion() -> None:
    """From three quarters of a line back to a quarter."""
    found = passages(np.array([[0.0, 0.0], [4.0, 0.0]]), 0.1, np.array([3.0, 0.05]), np.array([1.0, 0.0]), 3)
    np.testing.assert_allclose(found, [[0.25, 2.5, 0.0], [0.5, 2.0, 0.0], [0.75, 1.5, 0.0]], atol=1e-12)


@pytest.mark.parametrize(("gap", "count"), [(0.15, 1), (0.5, 7)])
def test_where_the_line_comes_back_beside_itself_a_motion_may_leave_out_what_is_between(gap: float, count: int) -> None:
    """A hairpin: near legs, of which only their common way is passed, and legs far enough from each other."""
    points = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, gap], [0.5, gap]])
    found = passages(points, TOLERANCE, points[0], points[-1], 15)
    assert len(found) >= count
    assert np.all(found[:, 1] < 0.5) == (gap < 2 * TOLERANCE)


def test_corners_are_cut() -> None:
    points = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    found = passages(points, TOLERANCE, points[0], points[-1], 19)
    assert np.min(np.linalg.norm(found[:, 1:] - [1.0, 0.0], axis=1)) >= TOLERANCE - 1e-12
