"""Rigid-body inertia: mass, first and second moment, and their transformation between frames.

Ten numbers instead of a matrix (6, 6): this is what makes composite bodies cheap.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.interfaces.frame import skew


@dataclass(frozen=True)
class RigidInertia:
    """Mass [kg], first moment (3, 1) [kg m] and inertia tensor (3, 3) [kg m2] about a frame's origin, in its axes."""

    mass: ca.SX
    moment: ca.SX
    inertia: ca.SX

    def __add__(self, other: RigidInertia) -> RigidInertia:
        return RigidInertia(self.mass + other.mass, self.moment + other.moment, self.inertia + other.inertia)

    @staticmethod
    def read(matrix: ca.SX) -> RigidInertia:
        """Return the rigid-body inertia behind a spatial inertia matrix (6, 6)."""
        coupling = matrix[:3, 3:6]
        moment = ca.vertcat(coupling[2, 1], coupling[0, 2], coupling[1, 0])
        inertia = ca.triu2symm(ca.triu(ca.sparsify(matrix[:3, :3])))
        return RigidInertia(matrix[3, 3], ca.sparsify(moment), ca.sparsify(inertia))

    @property
    def matrix(self) -> ca.SX:
        """Spatial inertia matrix (6, 6) in twist order (omega, v)."""
        coupling = skew(ca.sparsify(self.moment))
        return ca.sparsify(ca.blockcat(self.inertia, coupling, coupling.T, self.mass * ca.SX.eye(3)))

    def moved(self, X: ca.SX) -> RigidInertia:
        """Return the inertia X^T matrix X about the frame from which X (6, 6) maps twists to this one."""
        turn, lever = ca.sparsify(X[:3, :3]), ca.sparsify(X[3:, :3])
        if not lever.nnz():
            return self if is_identity(turn) else self._turned(turn)
        if is_identity(turn):
            # The velocity of the origin at d is v - d x omega.
            return self._shifted(ca.sparsify(ca.vertcat(lever[1, 2], lever[2, 0], lever[0, 1])))
        read = RigidInertia.read(X.T @ self.matrix @ X)
        return RigidInertia(self.mass, read.moment, read.inertia)

    def _turned(self, turn: ca.SX) -> RigidInertia:
        return RigidInertia(self.mass, ca.sparsify(turn.T @ self.moment), turned_back(self.inertia, turn))

    def _shifted(self, d: ca.SX) -> RigidInertia:
        moment = ca.sparsify(self.moment + self.mass * d)
        # Parallel-axis theorem: the integral of P P^T grows by d S^T + S d^T + m d d^T, the symmetric part of this.
        growth = ca.sparsify(d @ (self.moment + moment).T)
        inertia = ca.SX(self.inertia)
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            inertia[i, i] += growth[j, j] + growth[k, k]
            inertia[i, j] -= 0.5 * (growth[i, j] + growth[j, i])
            inertia[j, i] = inertia[i, j]
        return RigidInertia(self.mass, moment, ca.sparsify(inertia))


def is_rigid(difference: ca.Function) -> bool:
    """Whether a matrix is the inertia of a rigid mass, by a function of its symbols.

    It returns the difference of the matrix from the rigid inertia that was read from it, and that inertia.
    """
    # Two random points: at one alone entries might agree by chance.
    numbers = np.random.default_rng(0)
    for _ in range(2):
        values = difference(*(numbers.uniform(0.5, 1.5, difference.size_in(i)) for i in range(difference.n_in())))
        off, whole = (np.abs(value.full()) for value in values)
        if not np.max(off) <= 1e-12 * np.max(whole):
            return False
    return True


def turned_back(tensor: ca.SX, turn: ca.SX) -> ca.SX:
    """Return turn^T tensor turn for a symmetric tensor (3, 3), in half the operations if the turn is about one axis.

    An isotropic one, as the mass of a rigid body, stays as it is.
    """
    axis = turn_axis(turn)
    tensor = ca.sparsify(tensor)
    if is_isotropic(tensor):
        return tensor
    if axis is None:
        # Of principal moments that are numbers the least stays as it is, and the others turn what they have more.
        is_principal = tensor.is_constant() and tensor.sparsity().is_diag()
        least = min(float(tensor[i, i]) for i in range(3)) if is_principal else 0.0
        more = ca.sparsify(tensor - least * ca.SX.eye(3)) if least else tensor
        return ca.triu2symm(ca.triu(ca.sparsify(turn.T @ more @ turn))) + least * ca.SX.eye(3)
    i, j, k = (axis + 1) % 3, (axis + 2) % 3, axis
    c, s, (a, b, h) = turn[i, i], turn[i, j], (tensor[i, i], tensor[j, j], tensor[i, j])
    turned = ca.SX(3, 3)
    turned[k, k] = tensor[k, k]
    turned[i, k], turned[j, k] = c * tensor[i, k] - s * tensor[j, k], s * tensor[i, k] + c * tensor[j, k]
    # The trace in the plane of rotation is invariant: what one axis loses, s * lost, the other gains. At small angles
    # each keeps its digits beside a far larger one, which it would not as b + c^2 (a - b).
    lost = s * (a - b) + c * (2 * h)
    turned[i, i], turned[j, j], turned[i, j] = a - s * lost, b + s * lost, c * lost - h
    for row, column in ((k, i), (k, j), (j, i)):
        turned[row, column] = turned[column, row]
    return ca.sparsify(turned)


def is_isotropic(tensor: ca.SX) -> bool:
    """Return whether a matrix (3, 3) is structurally a multiple of the identity."""
    diagonal = [tensor[i, i] for i in range(3)]
    return ca.sparsify(tensor).nnz() == 3 and all(m.nnz() == 1 and ca.is_equal(m, diagonal[0], 10) for m in diagonal)


def turn_axis(turn: ca.SX) -> int | None:
    """Return k if a rotation matrix (3, 3) is, by its structure, a rotation about the k-th axis; otherwise None."""
    pattern = turn.sparsity()
    for k in range(3):
        others = [i for i in range(3) if i != k]
        alone = not any(pattern.has_nz(k, i) or pattern.has_nz(i, k) for i in others)
        if alone and pattern.nnz() == 5 and turn[k, k].is_one():
            return k
    return None


def is_identity(turn: ca.SX) -> bool:
    """Return whether a matrix (3, 3) is structurally the identity."""
    return turn.sparsity().is_diag() and all(turn[i, i].is_one() for i in range(3))
