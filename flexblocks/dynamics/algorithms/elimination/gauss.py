"""Gauss's principle of least constraint: quadratic forms in the accelerations, minimised over one unknown at a time.

The accelerations of an arm minimise the sum over its bodies of 1/2 [A; a]^T K [A; a] + p^T [A; a], with A (6) the
acceleration of a body's inlet and a the accelerations of coordinates. Minimising over one unknown leaves a form of the
same kind in the rest, which is what the articulated-body algorithm passes inboard.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import casadi as ca

from flexblocks.dynamics.evaluation.rigid_inertia import is_identity, turn_axis, turned_back


@dataclass(frozen=True)
class QuadraticForm:
    """Quadratic form in A (6) and the accelerations of `columns` (k): K (6 + k, 6 + k), p (6 + k, 1)."""

    K: ca.SX
    p: ca.SX
    columns: tuple[int, ...] = ()

    def __add__(self, other: QuadraticForm) -> QuadraticForm:
        columns = tuple(dict.fromkeys(self.columns + other.columns))
        first, second = _selection(columns, self.columns), _selection(columns, other.columns)
        K = first.T @ self.K @ first + second.T @ other.K @ second
        return QuadraticForm(ca.sparsify(K), ca.sparsify(first.T @ self.p + second.T @ other.p), columns)

    def row(self, column: int) -> ca.SX:
        """Return the row (1, 6 + k) of K that belongs to a coordinate, without entries if it takes no part."""
        return self.K[6 + self.columns.index(column), :] if column in self.columns else ca.SX(1, self.K.shape[1])

    def split(self, columns: Collection[int]) -> tuple[QuadraticForm, QuadraticForm]:
        """Return the forces on some coordinates, for which there is nothing in K, and the form without them."""
        taken = [i for i, column in enumerate(self.columns) if column in columns]
        rest = [i for i in range(len(self.columns)) if i not in taken]
        own, others = [6 + i for i in taken], [*range(6), *(6 + i for i in rest)]
        pushing = QuadraticForm(
            ca.SX(6 + len(own), 6 + len(own)),
            ca.sparsify(ca.vertcat(ca.SX(6, 1), self.p[own])),
            tuple(self.columns[i] for i in taken),
        )
        return pushing, QuadraticForm(self.K[others, others], self.p[others], tuple(self.columns[i] for i in rest))

    def moved(
        self, X: ca.SX, S: ca.SX, bias: ca.SX, columns: tuple[int, ...], translates: bool = True
    ) -> QuadraticForm:
        """Return the form in B, where A = X B + S a + bias; S (6, m) over the coordinates `columns` (m).

        Where B does not translate, on a joint on the ground, its mass does not count, and shares nothing with the rest.
        """
        if not S.nnz() and not bias.nnz() and not X[3:, :3].nnz():
            return self._turned(X[:3, :3])
        every = tuple(dict.fromkeys(self.columns + columns))
        taken = ca.SX(_selection(every, columns)[6:, :])
        motion = ca.vertcat(ca.horzcat(X, S @ taken[:, 6:]), _selection(every, self.columns)[6:, :])
        shift = ca.vertcat(bias, ca.SX(len(self.columns), 1))
        p = motion.T @ (self.p + ca.sparsify(self.K @ shift))
        K = mirrored(motion.T @ (self.K @ motion))
        turn, lever = X[:3, :3], ca.sparsify(X[3:, :3])
        if not lever.nnz() and turn_axis(turn) is not None:
            for block in (slice(0, 3), slice(3, 6)):
                K[block, block] = turned_back(self.K[block, block], turn)
        elif translates and lever.nnz() and is_identity(turn):
            coupling = self.K[:3, 3:6] + ca.sparsify(lever.T @ self.K[3:6, 3:6])
            angular = self.K[:3, :3] + ca.sparsify(lever.T @ self.K[3:6, :3]) + ca.sparsify(coupling @ lever)
            K[:3, :3], K[:3, 3:6] = angular, coupling
            K = mirrored(K)
        return QuadraticForm(ca.sparsify(K), ca.sparsify(p), every)

    def _turned(self, turn: ca.SX) -> QuadraticForm:
        """Return the form in B, where A is B in other axes: angular and linear part each times `turn` (3, 3)."""
        both = ca.diagcat(turn, turn)
        K = ca.SX(*self.K.shape)
        for block in (slice(0, 3), slice(3, 6)):
            K[block, block] = turned_back(self.K[block, block], turn)
        K[:3, 3:6] = ca.sparsify(turn.T @ ca.sparsify(self.K[:3, 3:6] @ turn))
        K[:6, 6:], K[6:, 6:] = both.T @ self.K[:6, 6:], self.K[6:, 6:]
        p = ca.vertcat(both.T @ self.p[:6], self.p[6:])
        return QuadraticForm(mirrored(K), ca.sparsify(p), self.columns)

    def without_coordinate(self, column: int, inertia: ca.SX, force: ca.SX) -> tuple[QuadraticForm, Minimum]:
        """Minimise over the acceleration of a coordinate, with an `inertia` added to K, under a `force`.

        Returns the form in the remaining unknowns, and the minimiser.
        """
        j = 6 + self.columns.index(column)
        rest = [i for i in range(6 + len(self.columns)) if i != j]
        row = ca.sparsify(self.K[j, rest])
        minimum = Minimum.of(self.K[j, j] + inertia, row, force - self.p[j])
        K = mirrored(self.K[rest, rest] - row.T @ minimum.ratio)
        columns = tuple(c for c in self.columns if c != column)
        return QuadraticForm(K, ca.sparsify(self.p[rest] + row.T @ minimum.free), columns), minimum

    def with_known(self, column: int, acceleration: ca.SX) -> tuple[QuadraticForm, Minimum]:
        """Return the form in the other unknowns where the acceleration of a coordinate is known, and that value."""
        j = 6 + self.columns.index(column)
        rest = [i for i in range(6 + len(self.columns)) if i != j]
        p = ca.sparsify(self.p[rest] + self.K[rest, j] * acceleration)
        known = Minimum(ca.SX(1, len(rest)), acceleration)
        return QuadraticForm(self.K[rest, rest], p, tuple(c for c in self.columns if c != column)), known

    def with_known_motion(self, known: Mapping[int, ca.SX]) -> QuadraticForm:
        """Return the form where components of A are known: they are forces on the others, and in K no more."""
        rows = [i for i in known if self.K[:, i].nnz()]
        if not rows:
            return self
        K, p = ca.SX(self.K), self.p
        for i in rows:
            p = p + K[:, i] * known[i]
            K[i, :], K[:, i] = 0, 0
        return QuadraticForm(ca.sparsify(K), ca.sparsify(p), self.columns)

    def without_axis(self, k: int, force: ca.SX) -> tuple[QuadraticForm, Minimum]:
        """Minimise over A[k] itself, which is free as a joint along that axis transmits `force` alone.

        The form keeps its size: it has no inertia along the axis any more, and the joint's force as the reaction.
        """
        row = self.K[k, :]
        row[k] = 0
        row = ca.sparsify(row)
        minimum = Minimum.of(self.K[k, k], row, force - self.p[k])
        K, p = self.K - row.T @ minimum.ratio, self.p + row.T @ minimum.free
        K[k, :], K[:, k], p[k] = 0, 0, force
        return QuadraticForm(mirrored(K), ca.sparsify(p), self.columns), minimum


@dataclass(frozen=True)
class Minimum:
    """Minimiser of a quadratic form over one unknown: free - ratio . rest."""

    ratio: ca.SX
    free: ca.SX

    @staticmethod
    def of(inertia: ca.SX, row: ca.SX, force: ca.SX) -> Minimum:
        inverse = 1 / inertia
        return Minimum(ca.sparsify(inverse * row), ca.sparsify(inverse * force))

    def at(self, A: ca.SX, columns: tuple[int, ...], known: Mapping[int, ca.SX]) -> ca.SX:
        """Return the eliminated unknown, from the accelerations A (6) and those of `columns`."""
        return self.free - self.ratio @ ca.vertcat(A, *[known[column] for column in columns])


def nothing(columns: tuple[int, ...] = (), inertia: ca.SX | None = None) -> QuadraticForm:
    """Return the zero form, with the couplings of `columns` in `inertia` (n, n), if any.

    The diagonal of the inertia is added where each coordinate is eliminated.
    """
    coupling = ca.SX(0, 0) if inertia is None else inertia[list(columns), list(columns)]
    return QuadraticForm(
        ca.diagcat(ca.SX(6, 6), coupling - ca.diag(ca.diag(coupling))), ca.SX(6 + len(columns), 1), columns
    )


def pushed(wrench: ca.SX) -> QuadraticForm:
    """Return the form of an external wrench (6)."""
    return QuadraticForm(ca.SX(6, 6), -wrench)


def mirrored(matrix: ca.SX) -> ca.SX:
    """Return a symmetric matrix from its upper triangle, so that the lower one costs no operations."""
    return ca.triu2symm(ca.triu(ca.sparsify(matrix)))


def _selection(every: tuple[int, ...], some: tuple[int, ...]) -> ca.DM:
    """Return the selection matrix (6 + k, 6 + m) of A and the coordinates `some` (k) out of A and `every` (m)."""
    at = {column: 6 + i for i, column in enumerate(every)}
    columns = [*range(6), *(at[column] for column in some)]
    return ca.DM.triplet(list(range(len(columns))), columns, ca.DM.ones(len(columns)), len(columns), 6 + len(every))
