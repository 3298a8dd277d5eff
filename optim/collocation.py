"""Collocation schemes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np

from .errors import ProblemError

HIGHEST_DEGREE = 9  # the highest for which CasADi tabulates the points


@dataclass(frozen=True, eq=False)
class Collocation:
    """An implicit Runge-Kutta scheme whose last stage is the end of the interval.

    Attributes
    ----------
    nodes : ndarray (d,)
        Times of the collocation points as shares of the interval; the last is 1.
    integral : ndarray (d, d)
        Butcher's matrix: over an interval of length h, x_j = x_0 + h sum_l integral[j, l] der(x)_l.
    """

    nodes: np.ndarray
    integral: np.ndarray

    @property
    def degree(self) -> int:
        return len(self.nodes)

    @property
    def double_integral(self) -> np.ndarray:
        """Second integral (d, d): q_j = q_0 + h nodes[j] v_0 + h^2 sum_l double_integral[j, l] a_l."""
        return self.integral @ self.integral


@lru_cache
def radau(degree: int) -> Collocation:
    """Return Radau IIA of `degree` stages: order 2 degree - 1, stiffly accurate (Hairer & Wanner II, IV.5).

    Raises
    ------
    ProblemError
        `degree` is no whole number from 1 to 9.
    """
    whole = isinstance(degree, (int, np.integer)) and not isinstance(degree, bool)
    if not whole or not 1 <= degree <= HIGHEST_DEGREE:
        raise ProblemError(f"plan: degree = {degree!r}; must be a whole number from 1 to {HIGHEST_DEGREE}.")
    nodes = np.array(ca.collocation_points(int(degree), "radau"))
    powers = np.arange(degree)
    # The rows integrate 1, s, s^2, ... exactly from 0 to each node.
    integrals = nodes[:, None] ** (powers + 1) / (powers + 1)
    return Collocation(nodes, np.linalg.solve((nodes[:, None] ** powers).T, integrals.T).T)
