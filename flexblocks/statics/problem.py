"""The static problem of an arm: residuals at rest, some of the variables held."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np
import scipy.linalg

from flexblocks.constraints.consistent_state import closed_state
from flexblocks.constraints.dependent_variables import followed_values, following_start
from flexblocks.constraints.loop_equations import moved_mass
from flexblocks.dae.dae import DAE
from flexblocks.statics.balance import rest

# A balance is one if what is left of each force is below this share of what cancels in it.
BALANCED = 1e-10
# Singular values below this share of the largest, after scaling rows and columns, are zero.
RANK = 1e-11


@dataclass(frozen=True, eq=False)
class Statics:
    """Residuals at rest over s = [q, w, z, u], some of it held; z is followed by the forces that keep loops closed.

    Attributes
    ----------
    function : casadi.Function
        See `flexblocks.statics.balance.rest`.
    names : tuple of str
    sizes : tuple of 4 ints
        Lengths of q, w, z, u.
    start : ndarray (ns,)
    free : ndarray (ns,) of bool
    closures : int
        Number of closures of loops, the last of the equations.
    mass : ndarray (n, n)
        Mass matrix at the start, regular.
    p : ndarray
    """

    function: ca.Function
    names: tuple[str, ...]
    sizes: tuple[int, int, int, int]
    start: np.ndarray
    free: np.ndarray
    closures: int
    mass: np.ndarray
    p: np.ndarray

    @property
    def rows(self) -> int:
        """Number of equations."""
        return sum(self.sizes[:3])

    def split(self, s: np.ndarray) -> list[np.ndarray]:
        """Return q, w, z, u."""
        return np.split(s, np.cumsum(self.sizes)[:-1])

    def evaluated(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return residuals (rows,), their Jacobian (rows, ns) and the weights (bodies, n)."""
        r, J, weights = (value.full() for value in self.function(s, self.p))
        return r.ravel(), J, weights

    def residual(self, s: np.ndarray) -> np.ndarray:
        return self.evaluated(s)[0]

    def tolerance(self, s: np.ndarray) -> np.ndarray:
        """Return what may be left of each equation (rows,): a share of the forces that cancel in it."""
        _, J, weights = self.evaluated(s)
        size = np.abs(J) @ np.abs(s)
        size[: self.sizes[0]] += np.abs(weights).sum(axis=0)
        return BALANCED * (size + 1e-3 * np.max(size, initial=0.0))

    def balanced(self, s: np.ndarray) -> bool:
        return bool(np.all(np.abs(self.residual(s)) <= self.tolerance(s)))

    def scaled(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return residuals and the Jacobian of what is free, rows and columns of unit size, and their scales."""
        r, J, _ = self.evaluated(s)
        J = J[:, self.free]
        row = np.max(np.abs(J), axis=1, initial=0.0)
        row = np.where(row > 0, row, 1.0)
        column = np.max(np.abs(J) / row[:, None], axis=0, initial=0.0)
        column = np.where(column > 0, column, 1.0)
        return r / row, J / row[:, None] / column, row, column

    def mobility(self, s: np.ndarray) -> np.ndarray:
        """Return the matrix that takes accelerations of the free coordinates from forces on them, loops kept closed."""
        n = self.sizes[0]
        free = self.free[:n]
        M = self.mass[np.ix_(free, free)]
        if not self.closures:
            return np.linalg.inv(M)
        J = self.evaluated(s)[1][-self.closures :, :n][:, free]
        N = scipy.linalg.null_space(J, rcond=RANK)
        return N @ np.linalg.inv(N.T @ M @ N) @ N.T

    def freedom(self, s: np.ndarray) -> int:
        """Return in how many directions the arm can go on from `s` in balance."""
        _, J, _, _ = self.scaled(s)
        return J.shape[1] - rank(J)


def pose(
    dae: DAE, x: Mapping[str, float], u: Mapping[str, float], p: Mapping[str, float] | np.ndarray | None
) -> Statics:
    """Return the static problem with coordinates, first-order states and inputs held by name."""
    n = dae.tree.size
    inputs, parameters = dae.u.values(u, "equilibrium: u: "), dae.p.values(p, "equilibrium: p: ")
    state, loops = closed_state(dae, x, parameters, "equilibrium: x: "), dae.tree.loops
    state, z = following_start(dae, state, dae.z.start, parameters, x, "equilibrium: x: ")
    groups = (state[:n], state[2 * n :], np.concatenate([z, np.zeros(len(loops.multipliers))]), inputs)
    names = (*dae.q_names, *dae.x.names[2 * n :], *dae.z.names, *loops.multipliers, *dae.u.names)
    return Statics(
        function=rest(dae),
        names=names,
        sizes=(n, len(groups[1]), len(groups[2]), len(groups[3])),
        start=np.concatenate(groups),
        free=np.array([name not in x and name not in u for name in names], dtype=bool),
        closures=len(loops.multipliers),
        mass=moved_mass(dae, state[:n], parameters, *followed_values(dae, state, z)),
        p=parameters,
    )


def rank(J: np.ndarray) -> int:
    """Return the rank of a scaled Jacobian."""
    return int(np.linalg.matrix_rank(J, tol=RANK * np.linalg.norm(J, 2))) if J.size else 0
