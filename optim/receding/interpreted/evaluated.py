"""CasADi functions at many points in one call."""

from __future__ import annotations

from functools import lru_cache

import casadi as ca
import numpy as np


def evaluated(function: ca.Function, points: list[np.ndarray], others: list[np.ndarray]) -> list[np.ndarray]:
    """Return each result at each point (k, rows, columns).

    Parameters
    ----------
    function : casadi.Function
    points : list of ndarray (k, ...)
        Its first arguments, a row for each point.
    others : list of ndarray
        The rest of them, the same for all.
    """
    count = len(points[0])
    # The same for all points: as many columns as there are points, for what is mapped has no others.
    same = [np.tile(np.reshape(other, (-1, 1)), count) for other in others]
    found = _mapped(function, count)(*(point.T for point in points), *same)
    parts = (part.full() for part in (found if isinstance(found, (tuple, list)) else [found]))
    return [np.moveaxis(part.reshape(len(part), count, -1), 1, 0) for part in parts]


@lru_cache(maxsize=128)
def _mapped(function: ca.Function, count: int) -> ca.Function:
    return function if count == 1 else function.map(count)
