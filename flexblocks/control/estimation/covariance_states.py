"""Covariances of estimates as states: the upper triangle of a symmetric matrix."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.interfaces.variables import Variables, variables
from flexblocks.linear.linear_model import LinearModel


@dataclass(frozen=True, eq=False)
class CovarianceStates:
    """The states ``name.covariance[i,j]``, row by row.

    Attributes
    ----------
    states : Variables
    matrix : SX (nx, nx)
        The covariance in their symbols.
    pairs : tuple of (int, int)
        Row and column of each.
    """

    states: Variables
    matrix: ca.SX
    pairs: tuple[tuple[int, int], ...]

    def entries(self, matrix: ca.SX) -> list[ca.SX]:
        """Return what belongs to each state in a matrix (nx, nx)."""
        return [matrix[i, j] for i, j in self.pairs]


def covariance_states(name: str, lin: LinearModel, start: np.ndarray) -> CovarianceStates:
    """Return the states of the covariance of a model's states, which begin at `start` (nx, nx)."""
    nx, units = len(lin.states), lin.state_units
    pairs = tuple((i, j) for i in range(nx) for j in range(i, nx))
    states = variables(
        "state", [(f"{name}.covariance[{i + 1},{j + 1}]", f"({units[i]}) ({units[j]})", start[i, j]) for i, j in pairs]
    )
    P = ca.SX(nx, nx)
    for k, (i, j) in enumerate(pairs):
        P[i, j] = P[j, i] = states.symbol[k]
    return CovarianceStates(states, P, pairs)
