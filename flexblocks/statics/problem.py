"""Static problem of an arm: residuals at rest, with some of the variables held."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

import casadi as ca
import numpy as np

from flexblocks.constraints.consistent_state import consistent_state
from flexblocks.constraints.loop_equations import regular_mass
from flexblocks.constraints.ranges import coordinate_bounds, state_bounds
from flexblocks.constraints.singularities.singular_posture import LOST, is_singular_posture, refuse_singular_posture
from flexblocks.constraints.states_at_posture import with_following_states
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.at_posture.mass_matrix import mass_at_posture, weakest_motion
from flexblocks.dynamics.tree.charts import chart_functions
from flexblocks.errors import ComputationError
from flexblocks.statics.balance import Unknowns, rest, unknown_slices, unknown_vector, unknowns

# An equilibrium is balanced if each residual force is below this fraction of the terms that cancel in it.
BALANCED = 1e-10
# Singular values below this fraction of the largest, after scaling rows and columns, count as zero.
RANK = 1e-11
# Forces [N, N m] and their derivatives from here on are no arm's, and the squares of their sums would overflow.
LARGEST = 1e100
# Derivatives below this are none: an attitude far from its chart has some that are not zero only as they underflow, and
# dividing by them overflows.
NOTHING = 1e-150


@dataclass(frozen=True, eq=False)
class Statics:
    """Residuals at rest over the unknowns s, some of them held.

    Attributes
    ----------
    dae : DAE
    function : casadi.Function
        See `flexblocks.statics.balance.rest`.
    names : tuple of str
    at : Unknowns of slices
        Slice of each group of unknowns in s.
    start : ndarray (ns,)
    free : ndarray (ns,) of bool
    low, high : ndarray (ns,)
        Bounds of the unknowns: the ranges of the coordinates and states that have one, otherwise infinite.
    mass : ndarray (n, n)
        Mass matrix at the start, regular.
    p : ndarray
    latest : dict
        What was evaluated last.
    """

    dae: DAE
    function: ca.Function
    names: tuple[str, ...]
    at: Unknowns
    start: np.ndarray
    free: np.ndarray
    low: np.ndarray
    high: np.ndarray
    mass: np.ndarray
    p: np.ndarray
    latest: dict[bytes, tuple[np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=dict)

    @cached_property
    def charts(self) -> tuple[ca.Function, ...]:
        """Charts of the coordinates; most arms have none."""
        return chart_functions(self.dae.tree)

    @property
    def rows(self) -> int:
        """Number of equations: balances of forces, rest of states, algebraic equations, closures of loops."""
        return self.at.u.start

    @property
    def closures(self) -> int:
        """Number of closures of loops, the last of the equations."""
        return self.at.multipliers.stop - self.at.multipliers.start

    @property
    def size(self) -> int:
        """Number n of coordinates."""
        return self.at.q.stop

    def evaluated(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return residuals (rows,), their Jacobian (rows, ns) and the weights (bodies, n), not to be written to.

        The latest are kept: a test of the balance and the step from there need them at the same point.
        """
        key = np.asarray(s, dtype=float).tobytes()
        if key not in self.latest:
            r, J, weights = (value.full() for value in self.function(s, self.p))
            self.latest.clear()
            self.latest[key] = r.ravel(), J, weights
        return self.latest[key]

    def residual(self, s: np.ndarray) -> np.ndarray:
        return self.evaluated(s)[0]

    def tolerance(self, s: np.ndarray) -> np.ndarray:
        """Return the admissible residual of each equation (rows,): a fraction of the forces that cancel in it."""
        _, J, weights = self.evaluated(s)
        size = np.abs(J) @ np.abs(s)
        size[self.at.q] += np.abs(weights).sum(axis=0)
        return BALANCED * (size + 1e-3 * np.max(size, initial=0.0))

    def balanced(self, s: np.ndarray) -> bool:
        return bool(np.all(np.abs(self.residual(s)) <= self.tolerance(s)))

    def scaled(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return residuals and Jacobian in the free unknowns, with rows and columns of unit size, and the scales."""
        r, J, _ = self.evaluated(s)
        J = J[:, self.free]
        row = np.max(np.abs(J), axis=1, initial=0.0)
        row = np.where(row > NOTHING, row, 1.0)
        column = np.max(np.abs(J) / row[:, None], axis=0, initial=0.0)
        column = np.where(column > NOTHING, column, 1.0)
        return r / row, J / row[:, None] / column, row, column

    def in_reach(self, s: np.ndarray) -> np.ndarray:
        """Return `s` moved into the ranges of the coordinates."""
        return np.clip(s, self.low, self.high)

    def in_charts(self, s: np.ndarray) -> np.ndarray:
        """Return `s` itself, or with attitudes beyond the borders of their charts in the next ones.

        At the end of its chart, a whole turn, an attitude has infinite coordinates, where a search would not end.
        """
        n = self.size
        for chart in self.charts:
            distance, _, q, _ = chart(s[:n], np.zeros(n), self.p)
            q = q.full().ravel()
            if float(distance) < 0 and self.free[:n][q != s[:n]].all():
                s = np.concatenate([q, s[n:]])
        return s

    def mass_at(self, s: np.ndarray) -> np.ndarray:
        """Return the mass matrix (n, n) at `s`, with loops that of `regular_mass`."""
        x, _, _ = self.dae.tree.split_state(np.zeros(len(self.dae.x)))
        state = np.concatenate([s[self.at.q], np.zeros_like(x), s[self.at.w]])
        return regular_mass(self.dae, *self.dae.posture(state, s[self.at.z], self.p))

    def singular(self, s: np.ndarray) -> bool:
        """Return whether the mass matrix is singular at `s`: forces that no coordinate feels are left unbalanced."""
        M = self.mass_at(s)
        return bool(len(M)) and weakest_motion(M)[0] < LOST and is_singular_posture(self.dae, M)

    def freedom(self, s: np.ndarray) -> int:
        """Return the dimension of the set of equilibria at `s`."""
        _, J, _, _ = self.scaled(s)
        return J.shape[1] - rank(J)


def pose(
    dae: DAE, x: Mapping[str, float], u: Mapping[str, float], p: Mapping[str, float] | np.ndarray | None
) -> Statics:
    """Return the static problem with coordinates, first-order states and inputs held by name.

    Prescribed coordinates, which no force moves, are held as well, and disturbances and rates of references at their
    start values.
    """
    inputs, parameters = dae.u.values(u, "equilibrium: u: "), dae.p.values(p, "equilibrium: p: ")
    state, z = consistent_state(dae, x, parameters, "equilibrium: x: ")
    if dae.tree.states_following:
        state = with_following_states(dae, state, parameters, x)
    multipliers = dae.tree.loops.multipliers
    at = dae.posture(state, z, parameters)
    mass = regular_mass(dae, *at) if multipliers else mass_at_posture(dae.tree, *at)
    if dae.tree.size and weakest_motion(mass)[0] < LOST:  # above that no posture is singular
        refuse_singular_posture(dae, state[: dae.tree.size], mass, "equilibrium: x: at the start values ")
    names = tuple(chain(*unknowns(dae, dae.x.names, dae.z.names, multipliers, dae.u.names)))
    low, high = np.full((2, len(names)), np.inf) * [[-1.0], [1.0]]
    if dae.tree.ranges:
        low[: dae.tree.size], high[: dae.tree.size] = coordinate_bounds(dae)
    held = {*x, *u, *dae.prescribed, *dae.u.with_role("disturbance", "reference_rate")}
    at_rest = unknown_slices(dae).w
    low[at_rest], high[at_rest] = state_bounds(dae)
    problem = Statics(
        dae=dae,
        function=rest(dae),
        names=names,
        at=unknown_slices(dae),
        start=unknown_vector(dae, state, z, np.zeros(len(multipliers)), inputs),
        free=np.array([name not in held for name in names], dtype=bool),
        low=low,
        high=high,
        mass=mass,
        p=parameters,
    )
    r, J, _ = problem.evaluated(problem.start)
    if not (np.all(np.abs(r) < LARGEST) and np.all(np.abs(J) < LARGEST)):
        raise ComputationError(
            f"equilibrium: forces or stiffnesses at the start values are beyond {LARGEST:g} N, or not finite; "
            "coordinates, inputs or parameters are too large."
        )
    return problem


def rank(J: np.ndarray) -> int:
    """Return the numerical rank of a scaled Jacobian."""
    return int(np.linalg.matrix_rank(J, tol=RANK * np.linalg.norm(J, 2))) if J.size else 0
