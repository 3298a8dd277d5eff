"""Obstacle and workspace constraints: points of an arm that keep out of, or in, a region."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import casadi as ca

from ...errors import ProblemError
from ...tolerances import ROUNDING
from ..signals.signals import Signals
from .links import axis_pieces, checked_link
from .names import names
from .path_constraint import BoundedValue, PathConstraint
from .region import Region


@dataclass(frozen=True)
class Keep(PathConstraint):
    """Points of an arm on one side of a region's surface, see `KeepOut` and `KeepIn`.

    Attributes
    ----------
    side : str
        The side of the surface, in words.
    """

    is_distance: ClassVar[bool] = True
    side: ClassVar[str]
    region: Region
    frames: Any = ()
    links: Any = ()
    stations: int = 8
    margin: float = 0.0
    name: str | None = None
    radius: float = 0.0

    def __post_init__(self) -> None:
        where = type(self).__name__
        if not isinstance(self.region, Region):
            raise ProblemError(
                f"{where}: region = {self.region!r}; must be an optim.Sphere, optim.Capsule, optim.Cuboid or "
                "optim.HalfSpace."
            )
        for name in ("frames", "links"):
            object.__setattr__(self, name, names(f"{where}: {name}", getattr(self, name)))
        if not self.frames and not self.links:
            raise ProblemError(
                f'{where}: nothing to keep; name points, as frames="payload", or links="link1" for a link as a whole.'
            )
        if isinstance(self.stations, bool) or not isinstance(self.stations, int) or self.stations < 1:
            raise ProblemError(f"{where}: stations = {self.stations!r}; must be a whole number >= 1.")
        for name in ("margin", "radius"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
                raise ProblemError(f"{where}: {name} = {value!r}; must be a finite number >= 0 [m].")

    @property
    def label(self) -> str:
        """The name, or the type of the region."""
        return self.name or type(self.region).__name__.lower()

    @abstractmethod
    def distances(self, r: ca.SX) -> ca.SX:
        """Return distances (k, 1) [m], >= 0 where the point r (3, 1) is on the prescribed side of the surface."""

    @property
    def clearance(self) -> float:
        """Distance of the axes from the surface [m]: the margin and the radius of the links."""
        return self.margin + self.radius

    @property
    @abstractmethod
    def radii(self) -> dict[str, float]:
        """`BoundedValue.most` or `.least` of the distances."""

    def values(self, label: str, signals: Signals) -> list[BoundedValue]:
        places = [(frame, self.distances(signals.position(frame))) for frame in self.frames]
        for link in self.links:
            places += self._along(link, signals)
        values = []
        for place, distance in places:
            distances = ca.vertsplit(distance)
            for i, one in enumerate(distances):
                number = f" ({i + 1})" if len(distances) > 1 else ""
                values.append(BoundedValue(f"{place} {self.side} {label}{number}", one, low=0.0, **self.radii))
        return values

    def segment_distances(self, ends: Sequence[ca.SX]) -> ca.SX | None:
        """Return distances (k, 1) [m], >= 0 where all of a segment is on its side; None if only points have one."""
        return ca.vertcat(*[self.distances(r) for r in ends])

    def _along(self, link: str, signals: Signals) -> list[tuple[str, ca.SX]]:
        """Return the distances along a link by the names of its parts: its pieces as capsules, or its stations."""
        body = checked_link(signals.instant.dae, link)
        if self.radius:
            pieces = axis_pieces(signals, link, self.stations)
            named = [f"{link} piece {i}" if len(pieces) > 1 else link for i in range(1, len(pieces) + 1)]
            distances = [self.segment_distances(ends) for ends in pieces]
            if not any(distance is None for distance in distances):
                return list(zip(named, (distance for distance in distances if distance is not None), strict=True))
        # Of a capsule the root counts, too.
        outlets = (*(("frame_a",) if self.radius else ()), *body.block.centerline(self.stations))
        points = [f"{link}.{outlet}" for outlet in outlets]
        return [(point, self.distances(signals.position(point))) for point in points]

    def size(self, bounded: BoundedValue) -> float:
        return self.region.smallest

    def refusal(self, where: str, bounded: BoundedValue, value: float) -> str:
        margin = f", margin {self.margin:g} m" if self.margin else ""
        margin += f", radius {self.radius:g} m" if self.radius else ""
        broken = f"not {bounded.name}, by {bounded.beyond(-value):.4g} m ({self.region}{margin})"
        return f"{broken}. Move the {where}, the region or the margin."

    def check_via(self, where: str, values: Mapping[str, float]) -> None:
        for frame in self.frames:
            x, y, z = (values.get(f"{frame}.{axis}") for axis in "xyz")
            if x is None or y is None:
                continue
            clearance = float(ca.mmin(ca.DM(self.distances(ca.SX(ca.DM([x, y, z or 0.0]))))))
            if clearance < -ROUNDING:
                raise ProblemError(
                    f"{where}: {frame} is not {self.side} {self.label} there, by {-clearance:.4g} m; move the via "
                    "point, the region or the margin."
                )


@dataclass(frozen=True)
class KeepOut(Keep):
    """An obstacle: points of the arm keep out of a region.

    Parameters
    ----------
    region : Sphere, Capsule, Cuboid or HalfSpace
    frames : str or sequence of str
        Points, see `flexblocks.place.place`: ``"payload"``, ``"link1"`` (its outboard end), ``"link1.station(0.25)"``.
    links : str or sequence of str
        Links that keep out as a whole, by `stations` equidistant points each, from beyond the root to the tip.
    stations : int
    margin : float
        Minimum distance from the region [m]: about half the thickness of a link plus what the spacing of stations
        misses.
    name : str, optional
        For messages; by default the type of the region.
    radius : float
        Of frames and links [m], in addition to the margin. Links are then capsules from root to tip, with as many
        straight pieces as `stations` where they bend; only to the outside of a cuboid they are balls at the stations.

    Notes
    -----
    Enforced at mesh and collocation points. Violations in between show in the replay, ``plan.replay().excesses``; with
    ``refine=True`` the mesh is refined until the replay satisfies it too.
    """

    side: ClassVar[str] = "outside"

    @property
    def radii(self) -> dict[str, float]:
        around = self.region.ball
        return {} if around is None else {"least": around + self.clearance}

    def distances(self, r: ca.SX) -> ca.SX:
        return self.region.outside(r, self.clearance)

    def segment_distances(self, ends: Sequence[ca.SX]) -> ca.SX | None:
        return self.region.outside_segment(ends, self.clearance)


@dataclass(frozen=True)
class KeepIn(Keep):
    """Points of the arm stay in a region; parameters as for `KeepOut`."""

    side: ClassVar[str] = "inside"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.clearance >= self.region.smallest:
            what = "margin and radius" if self.radius else "margin"
            raise ProblemError(
                f"KeepIn: {what} = {self.clearance:g} m leaves nothing of the {self.label}; must be less than "
                f"{self.region.smallest:g} m."
            )

    @property
    def radii(self) -> dict[str, float]:
        around = self.region.ball
        return {} if around is None else {"most": around - self.clearance}

    def distances(self, r: ca.SX) -> ca.SX:
        return self.region.inside(r, self.clearance)
