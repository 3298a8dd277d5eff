"""Frames: pose and twist, transformed together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import casadi as ca
import numpy as np

Vector = ca.SX | ca.DM | Sequence[float | ca.SX]


def skew(vector: ca.SX | ca.DM) -> ca.SX | ca.DM:
    """Return the matrix S with ``S @ w = vector x w``; structural zeros of `vector` stay structural."""
    return ca.reshape(ca.mtimes(CROSS_PRODUCT, vector), 3, 3)


# S column by column, in terms of the vector: (0, 0, 0), row 1 of column 0 is entry 2, and so on.
CROSS_PRODUCT = ca.DM.triplet([1, 2, 3, 5, 6, 7], [2, 1, 2, 0, 1, 0], ca.DM([1, -1, -1, 1, 1, -1]), 9, 3)


def rotation(axis: Sequence[float], angle: ca.SX) -> ca.SX:
    """Return the rotation about the unit vector `axis` (3) by `angle` [rad].

    Rodrigues' formula, written with projections, so that an axis along x, y or z leaves structural zeros
    and plain sines and cosines.
    """
    along, across, turning = _projections(tuple(axis))
    return along + ca.cos(angle) * across + ca.sin(angle) * turning


@lru_cache(maxsize=64)
def _projections(axis: tuple[float, ...]) -> tuple[ca.DM, ca.DM, ca.DM]:
    """Return the projections (3, 3) along and across a unit vector, and its cross product."""
    n = ca.DM(list(axis))
    along = ca.sparsify(n @ n.T)
    return along, ca.sparsify(ca.DM.eye(3) - along), ca.DM(skew(ca.sparsify(n)))


def column(vector: Vector) -> ca.SX:
    """Return a sparse SX column of any `Vector`."""
    if isinstance(vector, (ca.SX, ca.DM)):
        return ca.sparsify(ca.SX(vector))
    return ca.sparsify(ca.vertcat(*[ca.SX(entry) for entry in vector]))


@dataclass(frozen=True)
class Frame:
    """A frame: its pose in the world and its twist.

    Attributes
    ----------
    R : SX (3, 3)
        Orientation: the columns are this frame's axes in the world.
    r : SX (3, 1)
        Origin in the world [m].
    omega, v : SX (3, 1)
        Angular velocity [rad/s] and velocity of the origin [m/s] relative to the world, resolved in this frame's axes.
    rate : callable
        Time derivative of an expression of the block's coordinates.
    drift : SX (6, 1), optional
        Angular acceleration over acceleration of the origin, relative to the world and in this frame's axes, that are
        left when neither the block's inlet nor its coordinates accelerate; None where they are to be derived.

    Notes
    -----
    The moves return new frames. Each carries the twist along by automatic differentiation, so that the author of
    a block never writes a velocity. Consecutive turns about one axis become one; `turn` is the last move, if that was
    a turn.
    """

    R: ca.SX
    r: ca.SX
    omega: ca.SX
    v: ca.SX
    rate: Callable[[ca.SX], ca.SX]
    turn: Turn | Reorientation | None = None
    drift: ca.SX | None = None

    def translate(self, displacement: Vector) -> Frame:
        """Move the origin by `displacement` (3) [m], in this frame's axes; it may depend on the coordinates."""
        d = column(displacement)
        velocity = self.v + ca.mtimes(skew(self.omega), d) + self.rate(d)
        return replace(self, r=self.r + self.R @ d, v=velocity, turn=None, drift=None)

    def rotate(self, axis: Sequence[float], angle: ca.SX) -> Frame:
        """Turn about the constant unit vector `axis` (3) by `angle` [rad], which may depend on the coordinates."""
        axis, before, rate = tuple(axis), self, self.rate(angle)
        if isinstance(self.turn, Turn) and self.turn.axis == axis:
            before, angle, rate = self.turn.before, self.turn.angle + angle, self.turn.rate + rate
        return before._turned(Turn(before, axis, angle, rate))

    def reorient(self, matrix: np.ndarray | ca.SX, omega: ca.SX | None = None) -> Frame:
        """Turn by a rotation matrix (3, 3), whose columns are the new axes in the old ones.

        It may depend on the coordinates; `omega` is then the angular velocity (3, 1) of the new axes relative to the
        old ones, in the new ones [rad/s]. Without it this frame has the twist of the new axes already: those of a
        constant matrix, or of a section whose twist was stated in the axes of the beam's root.
        """
        matrix = ca.sparsify(matrix if isinstance(matrix, ca.SX) else ca.DM(matrix))
        return self._turned(Reorientation(self, matrix, omega))

    def _turned(self, turn: Turn | Reorientation) -> Frame:
        twist = turn.of(self.omega, self.v)
        return replace(self, R=self.R @ turn.matrix, omega=twist[:3], v=twist[3:], turn=turn, drift=None)

    @property
    def twist(self) -> ca.SX:
        """Angular velocity over velocity, SX (6, 1)."""
        return ca.vertcat(self.omega, self.v)


@dataclass(frozen=True)
class Turn:
    """A rotation about an axis: the frame before it, the axis, the angle and its rate."""

    before: Frame
    axis: tuple[float, ...]
    angle: ca.SX
    rate: ca.SX

    @cached_property
    def matrix(self) -> ca.SX:
        """The turned axes (3, 3), as columns in the axes before."""
        return rotation(self.axis, self.angle)

    def of(self, omega: ca.SX, v: ca.SX) -> ca.SX:
        """Return the twist (6) after the turn of a frame that has the twist (omega, v) before it."""
        turned = self.matrix.T
        return ca.vertcat(turned @ omega + ca.sparsify(ca.DM(self.axis)) * self.rate, turned @ v)


@dataclass(frozen=True)
class Reorientation:
    """A rotation: the frame before it, the new axes (3, 3) as columns in the old ones, and their angular velocity.

    Without an angular velocity it does nothing but resolve the twist in the new axes.
    """

    before: Frame
    matrix: ca.SX | ca.DM
    omega: ca.SX | None = None

    @property
    def bias(self) -> ca.SX | None:
        """The bias acceleration (6) after the turn; None where it is to be derived."""
        return ca.SX(6, 1) if self.omega is None else None

    def of(self, omega: ca.SX, v: ca.SX) -> ca.SX:
        """Return the twist (6) after the turn of a frame that has the twist (omega, v) before it."""
        turned = self.matrix.T
        relative = ca.SX(3, 1) if self.omega is None else self.omega
        return ca.vertcat(turned @ omega + relative, turned @ v)
