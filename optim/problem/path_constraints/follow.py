"""Follow: points of an arm on a line or curve, within a tolerance."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import casadi as ca
import numpy as np

from flexblocks.plausibility import computable

from ...errors import ProblemError
from ..signals.signals import Signals
from .names import positive, required_names
from .path_constraint import BoundedValue, PathConstraint
from .segments import beyond, squared_distance

# How sharply the nearest piece stands out from others, in squared tolerances; by trial. At a corner of 90 degrees the
# mean over two pieces makes the tube no more than 0.3 % narrower.
SHARPNESS = 40.0


@dataclass(frozen=True)
class Follow(PathConstraint):
    """Points of an arm stay within a tolerance of a line or curve; how fast they move along it is left open.

    Parameters
    ----------
    frames : str or sequence of str
        Points, see `flexblocks.place.place`: ``"payload"``, ``"link1.station(0.25)"``.
    points : sequence of (3,) or (2,)
        Corners of the line [m], two for a straight one; a curve by many, whose chords should be off by a fraction of
        the tolerance. With two coordinates the line extends through all z.
    tolerance : float
        The greatest distance from the line [m].
    name : str, optional
        For messages.

    Notes
    -----
    (D^2 - d^2) / (2 D) >= 0 with the tolerance D and the distance d from the nearest piece: a mean over all pieces,
    weighted by exp(-40 d^2 / D^2) and so never less than the least, which is smooth where one piece yields to the
    next. No direction is prescribed: where the line crosses or comes near itself, via points say which way.
    """

    is_distance: ClassVar[bool] = True
    may_be_lifted: ClassVar[bool] = True
    is_way: ClassVar[bool] = True
    frames: Any
    points: Any
    tolerance: float
    name: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "frames", required_names("Follow: frames", self.frames))
        object.__setattr__(self, "points", _line(self.points))
        positive("Follow: tolerance", self.tolerance, "m")

    @property
    def label(self) -> str:
        """The name, or what it is."""
        return self.name or "line"

    def values(self, label: str, signals: Signals) -> list[BoundedValue]:
        most = self.tolerance
        values = [(frame, -beyond(self.squared(signals.position(frame)), most)) for frame in self.frames]
        return [BoundedValue(f"{frame} on {label}", value, low=0.0, most=most) for frame, value in values]

    def squared(self, r: ca.SX) -> ca.SX:
        """Return the squared distance (1, 1) [m2] of a point (3, 1) from the line."""
        k = len(self.points[0])
        ends = [ca.SX(ca.DM(point)) for point in self.points]
        pieces = ca.vertcat(*[squared_distance((r[:k],), piece) for piece in pairwise(ends)])
        if pieces.numel() == 1:
            return pieces
        # Less the least of them, which cancels, no weight overflows or is lost.
        weights = ca.exp(-SHARPNESS / self.tolerance**2 * (pieces - ca.mmin(pieces)))
        return ca.dot(weights, pieces) / ca.sum1(weights)

    def size(self, bounded: BoundedValue) -> float:
        return self.tolerance

    def refusal(self, where: str, bounded: BoundedValue, value: float) -> str:
        off = bounded.beyond(-value)
        return f"not {bounded.name}, which it is {off:.4g} m too far from. Move the {where} or the line."


def _line(value: Any) -> tuple[tuple[float, ...], ...]:
    expected = "two points or more, of 3 finite numbers each, or 2 for a planar arm [m]"
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.ndim != 2 or len(array) < 2 or array.shape[-1] not in (2, 3) or not computable(array):
        raise ProblemError(f"Follow: points = {value!r}; must be {expected}.")
    rows: Any = array.tolist()
    line = tuple(tuple(row) for row in rows)
    if any(one == other for one, other in pairwise(line)):
        raise ProblemError("Follow: points: two that follow each other are the same; leave one out.")
    return line
