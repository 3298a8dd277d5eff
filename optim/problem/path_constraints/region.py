"""Regions of space: spheres, cuboids and half-spaces, as smooth functions of a point.

Two coordinates are for a planar arm: the region then extends through all z.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.plausibility import computable

from ...errors import ProblemError
from .names import positive
from .segments import beyond, squared_distance

ROUNDING = 0.05  # smoothing of a cuboid's edges, relative to its smallest half width; by trial


class Region(ABC):
    """A region of space with smooth distance functions `outside` and `inside`, non-negative where they hold."""

    @abstractmethod
    def outside(self, r: ca.SX, margin: float) -> ca.SX:
        """Return the outside distance (1, 1) [m], >= 0 only if the point r (3, 1) clears the region by `margin` [m]."""

    @abstractmethod
    def inside(self, r: ca.SX, margin: float) -> ca.SX:
        """Return the inside distances (k, 1) [m], all >= 0 if and only if the point is inside by `margin` [m]."""

    def outside_segment(self, ends: Sequence[ca.SX], margin: float) -> ca.SX | None:
        """Return outside distances (k, 1) [m] of a whole segment, by its ends; None if only points have one."""
        return None

    @property
    def ball(self) -> float | None:
        """The radius [m] of a region around a point or an axis, whose distances are those of squares; else None."""
        return None

    @property
    @abstractmethod
    def smallest(self) -> float:
        """The inradius [m], the largest possible margin inside."""


@dataclass(frozen=True)
class Sphere(Region):
    """A ball; with two coordinates an infinite cylinder along z.

    Parameters
    ----------
    center : (3,) or (2,)
        [m]
    radius : float
        [m]

    Notes
    -----
    (|r - c|^2 - R^2) / (2 R), with R grown or shrunk by the margin: the zero set is exact, and near the surface the
    value is the distance.
    """

    center: tuple[float, ...]
    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "center", point("Sphere: center", self.center))
        object.__setattr__(self, "radius", positive("Sphere: radius", self.radius, "m"))

    def outside(self, r: ca.SX, margin: float) -> ca.SX:
        return self._beyond(r, self.radius + margin)

    def inside(self, r: ca.SX, margin: float) -> ca.SX:
        return -self._beyond(r, self.radius - margin)

    def outside_segment(self, ends: Sequence[ca.SX], margin: float) -> ca.SX:
        k = len(self.center)
        center = (ca.SX(ca.DM(self.center)),)
        return beyond(squared_distance([r[:k] for r in ends], center), self.radius + margin)

    def _beyond(self, r: ca.SX, radius: float) -> ca.SX:
        return beyond(ca.sumsqr(r[: len(self.center)] - ca.DM(self.center)), radius)

    @property
    def ball(self) -> float:
        return self.radius

    @property
    def smallest(self) -> float:
        return self.radius


@dataclass(frozen=True)
class HalfSpace(Region):
    """A half-space: everything behind a plane.

    Parameters
    ----------
    point : (3,) or (2,)
        A point of the plane [m].
    normal : (3,) or (2,)
        Points out of the region; of any length.
    """

    point: tuple[float, ...]
    normal: tuple[float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", point("HalfSpace: point", self.point))
        normal = point("HalfSpace: normal", self.normal)
        if len(normal) != len(self.point):
            raise ProblemError(
                f"HalfSpace: point = {self.point} and normal = {normal}; must both have 2 or both 3 coordinates."
            )
        length = math.hypot(*normal)
        if length == 0:
            raise ProblemError("HalfSpace: normal = 0; must be a non-zero vector that points out of the region.")
        object.__setattr__(self, "normal", tuple(n / length for n in normal))

    def outside(self, r: ca.SX, margin: float) -> ca.SX:
        return ca.dot(ca.DM(self.normal), r[: len(self.point)] - ca.DM(self.point)) - margin

    def outside_segment(self, ends: Sequence[ca.SX], margin: float) -> ca.SX:
        return ca.vertcat(*[self.outside(r, margin) for r in ends])

    def inside(self, r: ca.SX, margin: float) -> ca.SX:
        return -self.outside(r, -margin)

    @property
    def smallest(self) -> float:
        return math.inf


@dataclass(frozen=True)
class Cuboid(Region):
    """A cuboid; with two coordinates an infinite prism along z.

    Parameters
    ----------
    low, high : (3,) or (2,)
        Opposite corners [m], in the axes of the cuboid.
    rotation : float or (3, 3)
        Rotation about its centre: an angle about z [rad], or a matrix whose columns are its axes in the world.

    Notes
    -----
    Inside is two exact linear limits per axis. Outside requires the point to be beyond one of the faces: a smooth
    maximum over the axes, max(a, b) = (a + b + sqrt((a - b)^2 + e^2)) / 2 with e = 5 % of the smallest half width. It
    never underestimates, so its largest error, e / 2 for each axis but the first, is subtracted: the arm keeps that
    much farther than necessary from the faces, and passes corners closely.
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    rotation: Any = 0.0

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            object.__setattr__(self, name, point(f"Cuboid: {name}", getattr(self, name)))
        if len(self.low) != len(self.high) or not np.all(np.less(self.low, self.high)):
            raise ProblemError(
                f"Cuboid: low = {self.low}, high = {self.high}; must be corners of 2 or 3 coordinates, low < high."
            )
        object.__setattr__(self, "rotation", _rotation(self.rotation, len(self.low)))

    def outside(self, r: ca.SX, margin: float) -> ca.SX:
        half = self._half + margin
        softness = ROUNDING * float(min(self._half))
        distance: ca.SX | None = None
        for x, h in zip(ca.vertsplit(self._local(r)), half.tolist(), strict=True):
            # |x| - h, smoothed at the middle and exact at the faces.
            beyond = ca.sqrt(x**2 + softness**2) - math.hypot(h, softness)
            if distance is None:
                distance = beyond
            else:
                distance = (distance + beyond + ca.sqrt((distance - beyond) ** 2 + softness**2)) / 2 - softness / 2
        assert distance is not None
        return distance

    def inside(self, r: ca.SX, margin: float) -> ca.SX:
        x, half = self._local(r), ca.DM(self._half - margin)
        return ca.vertcat(half - x, half + x)

    @property
    def smallest(self) -> float:
        return float(min(self._half))

    @property
    def corners(self) -> np.ndarray:
        """The corners in the world (2^k, k) [m], k = 2 or 3 coordinates."""
        k = len(self.low)
        signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * k, indexing="ij")).reshape(k, -1).T
        return self._center + (signs * self._half) @ np.array(self.rotation)[:k, :k].T

    @property
    def _center(self) -> np.ndarray:
        return (np.array(self.low) + np.array(self.high)) / 2

    @property
    def _half(self) -> np.ndarray:
        return (np.array(self.high) - np.array(self.low)) / 2

    def _local(self, r: ca.SX) -> ca.SX:
        k = len(self.low)
        turn = ca.sparsify(ca.SX(ca.DM(np.array(self.rotation)[:k, :k])))
        return turn.T @ (r[:k] - ca.DM(self._center))


def _rotation(value: Any, dimensions: int) -> tuple[tuple[float, ...], ...]:
    """Return a rotation as a (3, 3) matrix."""
    expected = "an angle about z [rad] or a (3, 3) matrix of orthonormal columns with determinant 1"
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ProblemError(f"Cuboid: rotation = {value!r}; must be {expected}.") from None
    if array.shape == () and computable(array):
        c, s = math.cos(array), math.sin(array)
        return ((c, 0.0 - s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))
    right = array.shape == (3, 3) and np.allclose(array.T @ array, np.eye(3), atol=1e-9) and np.linalg.det(array) > 0
    if not right or (dimensions == 2 and not np.allclose(array[2], [0, 0, 1], atol=1e-9)):
        flat = "" if dimensions == 3 else ", about z for a cuboid of two coordinates"
        raise ProblemError(f"Cuboid: rotation = {value!r}; must be {expected}{flat}.")
    return tuple(tuple(row) for row in array.tolist())


def point(where: str, value: Any) -> tuple[float, ...]:
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        array = np.zeros(0)
    words = np.asarray(value).dtype.kind in "USb" if array.size else True
    if words or array.shape not in ((2,), (3,)) or not computable(array):
        raise ProblemError(f"{where} = {value!r}; must be 3 finite numbers, or 2 for a planar arm [m].")
    return tuple(array.tolist())
