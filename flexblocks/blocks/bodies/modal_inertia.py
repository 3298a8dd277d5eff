"""Inertia, velocity forces and interface frames of a body that deforms in modes, from its integrals (Shabana 2020)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from flexblocks.bodies.kept_modes import KeptModes
from flexblocks.interfaces import Frame, InertialBody, skew

# Turns in this order take the fewest operations; to first order, as modes are, it does not matter.
AXES = ((0, (1.0, 0.0, 0.0)), (1, (0.0, 1.0, 0.0)), (2, (0.0, 0.0, 1.0)))


@dataclass(frozen=True, eq=False)
class ModalInertia:
    """Inertia of a body that deforms in modes.

    Attributes
    ----------
    modes : KeptModes
    q, s : SX (n, 1)
        Amplitudes and their rates.
    negligible : float
        Integrals below this share of what they could be count as zero.
    stiffening : bool
        Whether it moves in quadratic modes, too.
    """

    modes: KeptModes
    q: ca.SX
    s: ca.SX
    negligible: float
    stiffening: bool

    @property
    def size(self) -> int:
        """The number of modes."""
        return self.q.numel()

    @cached_property
    def second(self) -> list[list[ca.DM]]:
        """Integrals of phi_k phi_l' dm, phi_0 the place."""
        G = self.modes.second
        size = np.sqrt(np.trace(np.diagonal(G).transpose(2, 0, 1), axis1=1, axis2=2))
        count = self.size + 1
        return [[cut(G[k, j], self.negligible * size[k] * size[j]) for j in range(count)] for k in range(count)]

    @cached_property
    def place(self) -> ca.DM:
        """Integral of the undeformed place (3)."""
        return cut(self.modes.first[0], self.negligible * self.modes.mass * self._reach)

    @cached_property
    def shift(self) -> ca.DM:
        """Integrals of the modes (3, n)."""
        return cut(self.modes.first[1:].T.reshape(3, self.size), self.negligible * self.modes.mass)

    @property
    def _reach(self) -> float:
        return float(np.sqrt(np.trace(self.modes.second[0, 0]) / self.modes.mass))

    @cached_property
    def _second_order(self) -> tuple[list[list[ca.DM]], list[list[ca.DM]]]:
        """Integrals of psi_ij (3) and of r psi_ij' (3, 3)."""
        given = self.modes.quadratic
        assert given is not None
        least = [self.negligible * np.abs(array).max(initial=0.0) for array in (given.first, given.second)]
        n = range(self.size)
        return (
            [[cut(given.first[i, j], least[0]) for j in n] for i in n],
            [[cut(given.second[i, j], least[1]) for j in n] for i in n],
        )

    def _along(self, tensors: list[list[ca.DM]], j: int) -> ca.SX:
        """Return sum_i q_i T_ij."""
        return sum((self.q[i] * tensors[i][j] for i in range(self.size)), ca.SX(*tensors[0][0].shape))

    @cached_property
    def _linear_momenta(self) -> list[ca.SX]:
        """Integrals of r phi_l' dm (3, 3) of the modes, r without what is quadratic in them."""
        n = range(1, self.size + 1)
        return [sum((self.q[k - 1] * self.second[k][j] for k in n), ca.SX(self.second[0][j])) for j in n]

    @cached_property
    def momenta(self) -> list[ca.SX]:
        """Integrals of r u_l' dm (3, 3) of the displacements u_l for a unit rate of each mode."""
        found = self._linear_momenta
        if self.stiffening:
            found = [each + self._along(self._second_order[1], j) for j, each in enumerate(found)]
        return [ca.sparsify(each) for each in found]

    @cached_property
    def first_moment(self) -> ca.SX:
        """Integral of the deformed place (3)."""
        moved = ca.SX(self.place) + self.shift @ self.q
        if self.stiffening:
            moved += sum((self.q[j] * self._along(self._second_order[0], j) / 2 for j in range(self.size)), ca.SX(3, 1))
        return ca.sparsify(moved)

    @cached_property
    def rates_shift(self) -> ca.SX:
        """Derivatives (3, n) of `first_moment` in the amplitudes."""
        if not self.stiffening:
            return ca.SX(self.shift)
        more = [self._along(self._second_order[0], j) for j in range(self.size)]
        return ca.sparsify(ca.SX(self.shift) + ca.horzcat(*more, ca.SX(3, 0)))

    @cached_property
    def rotary(self) -> ca.SX:
        """Moment of inertia (3, 3) about the inlet, deformed."""
        # The integral of r r' by those of r phi_l', which the momenta have already.
        total = ca.SX(self.second[0][0])
        total += sum((self.q[j] * each for j, each in enumerate(self._linear_momenta)), ca.SX(3, 3))
        total += sum((self.q[j] * self.second[0][j + 1].T for j in range(self.size)), ca.SX(3, 3))
        if self.stiffening:
            inner = range(self.size)
            more = sum((self.q[j] * self._along(self._second_order[1], j) / 2 for j in inner), ca.SX(3, 3))
            total += more + more.T
        J = ca.trace(total) * ca.SX.eye(3) - total
        return ca.sparsify(ca.triu2symm(ca.triu(J)))

    @cached_property
    def inertia(self) -> ca.SX:
        """Mass matrix (6 + n, 6 + n) in the order (omega, v, rates)."""
        S = ca.SX(skew(self.first_moment))
        turning = ca.horzcat(*[_axial(each) for each in self.momenta], ca.SX(3, 0))
        modal = np.trace(self.modes.second[1:, 1:], axis1=2, axis2=3).reshape(self.size, self.size)
        own = ca.SX(cut(modal, self.negligible * self.modes.mass))
        shift = self.rates_shift
        unit = self.modes.mass * ca.SX.eye(3)
        return ca.sparsify(ca.blockcat([[self.rotary, S, turning], [S.T, unit, shift], [turning.T, shift.T, own]]))

    def kinetic(self, frame: Frame) -> ca.SX:
        """Return the kinetic energy [J] of a body that moves with `frame`."""
        rates = ca.vertcat(frame.omega, frame.v, self.s)
        return ca.dot(rates, self.inertia @ rates) / 2

    def bodies(self, frame: Frame) -> tuple[InertialBody, ...]:
        """Return the body with its velocity forces in closed form."""
        w, n = frame.omega, self.size
        flow = sum((self.momenta[j] * self.s[j] for j in range(n)), ca.SX(3, 3))  # integral of r rdot'
        torque = skew(w) @ (self.rotary @ w) + 2 * (ca.trace(flow) * w - flow.T @ w)
        force = ca.cross(w, ca.cross(w, self.first_moment)) + 2 * ca.cross(w, self.rates_shift @ self.s)
        if self.stiffening:
            # Places are accelerated by second derivatives of the displacement in the amplitudes, too.
            first, second = self._second_order
            force += _form(first, self.s)
            torque += _axial(_form(second, self.s))
        square = ca.dot(w, w)
        modal = []
        for j in range(n):
            spin = sum((self.s[k - 1] * self.second[k][j + 1] for k in range(1, n + 1)), ca.SX(3, 3))
            A = self.momenta[j]
            modal.append(ca.dot(w, A @ w) - square * ca.trace(A) + 2 * ca.dot(w, _axial(spin)))
        return (InertialBody(frame, self.inertia, ca.vertcat(torque, force, *modal)),)


def moved_frame(
    frame: Frame, point: np.ndarray, motion: np.ndarray, curved: np.ndarray | None, q: ca.SX, negligible: float
) -> tuple[Frame, ca.SX]:
    """Return the frame of a place of a deformed body, and its shift (3) [m].

    Parameters
    ----------
    frame : Frame
        The inlet of the body.
    point : ndarray (3,)
        The place, undeformed [m].
    motion : ndarray (6, n)
        Shift and small turn for a unit of each mode.
    curved : ndarray (6, n, n) or None
        Second derivatives of both, the turn as a rotation vector.
    q : SX (n, 1)
    negligible : float
    """
    scale = np.abs(motion).max(initial=0.0)
    linear = cut(motion, negligible * scale)
    shift, turn = linear[:3, :] @ q, linear[3:, :] @ q
    if curved is not None:
        second = curved.copy()
        # Of a rotation vector the angles about x, then y, then z, up to second order (Baker, Campbell, Hausdorff).
        x, y, z = motion[3:]
        for row, (one, other, sign) in zip((3, 4, 5), ((y, z, -1), (z, x, 1), (x, y, -1)), strict=True):
            second[row] += sign * (np.outer(one, other) + np.outer(other, one)) / 2
        largest = np.abs(second).max(initial=0.0)
        more = ca.vertcat(*[ca.dot(q, cut(each, negligible * largest) @ q) / 2 for each in second])
        shift, turn = shift + more[:3], turn + more[3:]
    shift, turn = ca.sparsify(ca.SX(shift)), ca.sparsify(ca.SX(turn))
    moved = frame.translate(ca.SX(cut(point, negligible * np.abs(point).max(initial=0.0))) + shift)
    for row, axis in AXES:
        if turn.sparsity().has_nz(row, 0):
            moved = moved.rotate(axis, turn[row])
    return moved, shift


def cut(array: np.ndarray, least: float) -> ca.DM:
    """Return an array as a sparse matrix without entries up to `least`."""
    values = np.asarray(array, dtype=float)
    return ca.sparsify(ca.DM(np.where(np.abs(values) > least, values, 0.0)))


def _form(tensors: list[list[ca.DM]], s: ca.SX) -> ca.SX:
    """Return sum_ij s_i s_j T_ij of symmetric T."""
    total = ca.SX(*tensors[0][0].shape)
    for i, row in enumerate(tensors):
        total += s[i] ** 2 * row[i] + sum((2 * s[i] * s[j] * row[j] for j in range(i)), ca.SX(*row[i].shape))
    return ca.sparsify(total)


def _axial(matrix: ca.SX) -> ca.SX:
    """Return the integral of r x p (3) from that of r p'."""
    A = matrix
    return ca.sparsify(ca.vertcat(A[1, 2] - A[2, 1], A[2, 0] - A[0, 2], A[0, 1] - A[1, 0]))
