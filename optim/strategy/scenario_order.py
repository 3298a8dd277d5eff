"""The order in which scenarios are added to a plan: the extremes first, then ever more in between."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np


class Between(NamedTuple):
    """A place between two of the scenarios that a plan has: their positions in it, and how far it is to the second."""

    first: int
    second: int
    share: float


def spread_out(parameters: np.ndarray) -> np.ndarray:
    """Return the parameters (scenarios, np) in shares of how far they differ between scenarios."""
    width = np.ptp(parameters, axis=0)
    return parameters / np.where(width > 0, width, 1.0)


def growing_sets(points: np.ndarray) -> Iterator[tuple[int, ...]]:
    """Yield 2, 3, 5, 9 ... of the points (scenarios, np), by number, the last time all of them.

    The first two are farthest apart; what is added is farthest from the others each time. So the gaps between
    neighbours are halved where the points lie on a line.
    """
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    members = [int(i) for i in np.unravel_index(np.argmax(distances), distances.shape)]
    if members[0] == members[1]:  # all alike
        members = [0, 1]
    while len(members) < len(points):
        yield tuple(sorted(members))
        for _ in range(min(max(len(members) - 1, 1), len(points) - len(members))):
            others = [i for i in range(len(points)) if i not in members]
            members.append(max(others, key=lambda i: distances[i, members].min()))
    yield tuple(range(len(points)))


def place_between(point: np.ndarray, ends: np.ndarray) -> Between:
    """Return the place on a line between two of the `ends` to which the point is nearest; of several, the shortest."""
    if len(ends) == 1:
        return Between(0, 0, 0.0)
    found = []
    for i, j in combinations(range(len(ends)), 2):
        along = ends[j] - ends[i]
        length = float(np.linalg.norm(along))
        share = float(np.clip((point - ends[i]) @ along / length**2, 0.0, 1.0)) if length else 0.0
        away = float(np.linalg.norm(ends[i] + share * along - point))
        found.append((round(away, 9), length, Between(i, j, share)))
    return min(found)[-1]
