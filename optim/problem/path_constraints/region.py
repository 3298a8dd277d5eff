"""Regions of space: spheres, boxes and half-spaces, as smooth functions of a point.

Two coordinates stand for a plane arm: the region then reaches through all z.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from ...errors import ProblemError

ROUNDING = 0.05  # of a box's edges, as a share of its smallest half width


class Region(ABC):
    """A region of space. `outside` and `inside` are smooth everywhere and not negative where a point is so."""

    @abstractmethod
    def outside(self, r: ca.SX, margin: float) -> ca.SX:
        """Return (1, 1) [m], >= 0 only where the point r (3, 1) is at least `margin` [m] away from the region."""

    @abstractmethod
    def inside(self, r: ca.SX, margin: float) -> ca.SX:
        """Return (k, 1) [m], all >= 0 just where the point is in the region and `margin` [m] away from its surface."""

    @property
    @abstractmethod
    def smallest(self) -> float:
        """The least distance from its innermost point to the surface [m]: no margin inside can be larger."""


@dataclass(frozen=True)
class Sphere(Region):
    """A ball; with two coordinates a disc, or a cylinder along z.

    Parameters
    ----------
    centre : (3,) or (2,)
        [m]
    radius : float
        [m]

    Notes
    -----
    (|r - c|^2 - R^2) / (2 R), with R grown or shrunk by the margin: exact, and near the surface the distance itself.
    """

    centre: tuple[float, ...]
    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", _point("Sphere: centre", self.centre))
        object.__setattr__(self, "radius", _positive("Sphere: radius", self.radius))

    def outside(self, r: ca.SX, margin: float) -> ca.SX:
        return self._beyond(r, self.radius + margin)

    def inside(self, r: ca.SX, margin: float) -> ca.SX:
        return -self._beyond(r, self.radius - margin)

    def _beyond(self, r: ca.SX, radius: float) -> ca.SX:
        return (ca.sumsqr(r[: len(self.centre)] - ca.DM(self.centre)) - radius**2) / (2 * radius)

    @property
    def smallest(self) -> float:
        return self.radius


@dataclass(frozen=True)
class HalfSpace(Region):
    """All that lies behind a plane.

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
        object.__setattr__(self, "point", _point("HalfSpace: point", self.point))
        normal = _point("HalfSpace: normal", self.normal)
        if len(normal) != len(self.point):
            raise ProblemError(
                f"HalfSpace: point = {self.point} and normal = {normal}; must both have 2 or both 3 coordinates."
            )
        length = math.hypot(*normal)
        if length == 0:
            raise ProblemError("HalfSpace: normal = 0; must point somewhere, out of the region.")
        object.__setattr__(self, "normal", tuple(n / length for n in normal))

    def outside(self, r: ca.SX, margin: float) -> ca.SX:
        return ca.dot(ca.DM(self.normal), r[: len(self.point)] - ca.DM(self.point)) - margin

    def inside(self, r: ca.SX, margin: float) -> ca.SX:
        return -self.outside(r, -margin)

    @property
    def smallest(self) -> float:
        return math.inf


@dataclass(frozen=True)
class Box(Region):
    """A box; with two coordinates a rectangle, or a prism along z.

    Parameters
    ----------
    low, high : (3,) or (2,)
        Opposite corners [m], in the axes of the box.
    rotation : float or (3, 3)
        How it is turned about its centre: an angle about z [rad], or a matrix whose columns are its axes in the world.

    Notes
    -----
    Inside is one linear limit an axis, exact. Outside asks that the point be beyond one of the faces. The
    maximum over axes is taken smoothly, max(a, b) as (a + b + sqrt((a - b)^2 + e^2)) / 2 with e = 5 % of the smallest
    half width; it is never too small, so that the box is grown by what it may be too large: e / 2 for each of the
    axes but the first. The arm keeps that much farther away than it must from the faces, and passes corners closely.
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    rotation: Any = 0.0

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            object.__setattr__(self, name, _point(f"Box: {name}", getattr(self, name)))
        if len(self.low) != len(self.high) or not np.all(np.less(self.low, self.high)):
            raise ProblemError(
                f"Box: low = {self.low}, high = {self.high}; must be corners of 2 or 3 coordinates, low < high."
            )
        object.__setattr__(self, "rotation", _rotation(self.rotation, len(self.low)))

    def outside(self, r: ca.SX, margin: float) -> ca.SX:
        half = self._half + margin
        softness = ROUNDING * float(min(self._half))
        found: ca.SX | None = None
        for x, h in zip(ca.vertsplit(self._local(r)), half.tolist(), strict=True):
            # |x| - h, rounded off at the middle and exact at the faces.
            beyond = ca.sqrt(x**2 + softness**2) - math.hypot(h, softness)
            if found is None:
                found = beyond
            else:
                found = (found + beyond + ca.sqrt((found - beyond) ** 2 + softness**2)) / 2 - softness / 2
        assert found is not None
        return found

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
        return self._centre + (signs * self._half) @ np.array(self.rotation)[:k, :k].T

    @property
    def _centre(self) -> np.ndarray:
        return (np.array(self.low) + np.array(self.high)) / 2

    @property
    def _half(self) -> np.ndarray:
        return (np.array(self.high) - np.array(self.low)) / 2

    def _local(self, r: ca.SX) -> ca.SX:
        k = len(self.low)
        turn = ca.sparsify(ca.SX(ca.DM(np.array(self.rotation)[:k, :k])))
        return turn.T @ (r[:k] - ca.DM(self._centre))


def _rotation(given: Any, dimensions: int) -> tuple[tuple[float, ...], ...]:
    """Return a rotation as a (3, 3) matrix."""
    expected = "an angle about z [rad] or a (3, 3) matrix of orthonormal columns with determinant 1"
    try:
        array = np.array(given, dtype=float)
    except (TypeError, ValueError):
        raise ProblemError(f"Box: rotation = {given!r}; must be {expected}.") from None
    if array.shape == () and np.isfinite(array):
        c, s = math.cos(array), math.sin(array)
        return ((c, 0.0 - s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))
    right = array.shape == (3, 3) and np.allclose(array.T @ array, np.eye(3), atol=1e-9) and np.linalg.det(array) > 0
    if not right or (dimensions == 2 and not np.allclose(array[2], [0, 0, 1], atol=1e-9)):
        flat = "" if dimensions == 3 else ", about z for a box of two coordinates"
        raise ProblemError(f"Box: rotation = {given!r}; must be {expected}{flat}.")
    return tuple(tuple(row) for row in array.tolist())


def _point(where: str, given: Any) -> tuple[float, ...]:
    try:
        array = np.array(given, dtype=float)
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.shape not in ((2,), (3,)) or not np.isfinite(array).all():
        raise ProblemError(f"{where} = {given!r}; must be 3 finite numbers, or 2 for a plane arm [m].")
    return tuple(array.tolist())


def _positive(where: str, given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 < given < math.inf:
        raise ProblemError(f"{where} = {given!r}; must be a finite number > 0 [m].")
    return float(given)
