"""Capsule: everything within a radius of a segment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from ...errors import ProblemError
from .names import positive
from .region import Region, point
from .segments import beyond, squared_distance


@dataclass(frozen=True)
class Capsule(Region):
    """A capsule: everything within a radius of a segment; with two coordinates extruded through all z.

    Parameters
    ----------
    end_a, end_b : (3,) or (2,)
        Ends of the segment [m].
    radius : float
        [m]

    Notes
    -----
    (d^2 - R^2) / (2 R) with the distance d from the segment: the zero set is exact, as that of a `Sphere`.
    """

    end_a: tuple[float, ...]
    end_b: tuple[float, ...]
    radius: float

    def __post_init__(self) -> None:
        for name in ("end_a", "end_b"):
            object.__setattr__(self, name, point(f"Capsule: {name}", getattr(self, name)))
        object.__setattr__(self, "radius", positive("Capsule: radius", self.radius, "m"))
        if len(self.end_a) != len(self.end_b):
            raise ProblemError(
                f"Capsule: end_a = {self.end_a} and end_b = {self.end_b}; must both have 2 or both 3 coordinates."
            )
        if self.end_a == self.end_b:
            raise ProblemError(f"Capsule: end_a = end_b = {self.end_a}; must be two points. A ball is an optim.Sphere.")

    def outside(self, r: ca.SX, margin: float) -> ca.SX:
        return self.outside_segment((r,), margin)

    def inside(self, r: ca.SX, margin: float) -> ca.SX:
        return -beyond(self._squared((r,)), self.radius - margin)

    def outside_segment(self, ends: Sequence[ca.SX], margin: float) -> ca.SX:
        return beyond(self._squared(ends), self.radius + margin)

    def _squared(self, ends: Sequence[ca.SX]) -> ca.SX:
        axis = (ca.SX(ca.DM(self.end_a)), ca.SX(ca.DM(self.end_b)))
        return squared_distance([r[: len(self.end_a)] for r in ends], axis)

    @property
    def ball(self) -> float:
        return self.radius

    @property
    def smallest(self) -> float:
        return self.radius
