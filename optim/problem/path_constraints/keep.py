"""Obstacle and workspace constraints: points of an arm that keep out of, or in, a region."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import casadi as ca

from flexblocks.blocks.bodies.stations import HasStations
from flexblocks.dae.dae import DAE
from flexblocks.errors import listing, nearest

from ...errors import ProblemError
from ..signals.signals import Signals
from .path_constraint import BoundedValue, PathConstraint
from .region import Region

SLACK = 1e-9  # m: tolerance for a via point on the surface: rounding


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

    def __post_init__(self) -> None:
        where = type(self).__name__
        if not isinstance(self.region, Region):
            raise ProblemError(
                f"{where}: region = {self.region!r}; must be an optim.Sphere, optim.Box or optim.HalfSpace."
            )
        for name in ("frames", "links"):
            object.__setattr__(self, name, _names(f"{where}: {name}", getattr(self, name)))
        if not self.frames and not self.links:
            raise ProblemError(
                f'{where}: nothing to keep; name points, as frames="payload", or links="link1" for a link as a whole.'
            )
        if isinstance(self.stations, bool) or not isinstance(self.stations, int) or self.stations < 1:
            raise ProblemError(f"{where}: stations = {self.stations!r}; must be a whole number >= 1.")
        margin = self.margin
        if isinstance(margin, bool) or not isinstance(margin, (int, float)) or not 0 <= margin < math.inf:
            raise ProblemError(f"{where}: margin = {margin!r}; must be a finite number >= 0 [m].")

    @property
    def label(self) -> str:
        """The name, or the type of the region."""
        return self.name or type(self.region).__name__.lower()

    @abstractmethod
    def distances(self, r: ca.SX) -> ca.SX:
        """Return distances (k, 1) [m], >= 0 where the point r (3, 1) is on the prescribed side of the surface."""

    def values(self, label: str, signals: Signals) -> list[BoundedValue]:
        values = []
        for point in self._points(signals.instant.dae):
            distances = ca.vertsplit(self.distances(signals.position(point)))
            for i, distance in enumerate(distances):
                number = f" ({i + 1})" if len(distances) > 1 else ""
                values.append(BoundedValue(f"{point} {self.side} {label}{number}", distance, low=0.0))
        return values

    def _points(self, dae: DAE) -> list[str]:
        """Return the names of all points: frames and stations along links."""
        links = {body.name: body.block for body in dae.tree.bodies if isinstance(body.block, HasStations)}
        points = list(self.frames)
        for link in self.links:
            if link not in links:
                raise ProblemError(f"plan: path: there is no link '{link}' ({listing(links)}).{nearest(link, links)}")
            points += [f"{link}.{outlet}" for outlet in links[link].centreline(self.stations)]
        return points

    def size(self, bounded: BoundedValue) -> float:
        return self.region.smallest

    def refusal(self, where: str, bounded: BoundedValue, value: float) -> str:
        margin = f", margin {self.margin:g} m" if self.margin else ""
        broken = f"not {bounded.name}, by {-value:.4g} m ({self.region}{margin})"
        return f"{broken}. Move the {where}, the region or the margin."

    def check_via(self, where: str, values: Mapping[str, float]) -> None:
        for frame in self.frames:
            x, y, z = (values.get(f"{frame}.{axis}") for axis in "xyz")
            if x is None or y is None:
                continue
            clearance = float(ca.mmin(ca.DM(self.distances(ca.SX(ca.DM([x, y, z or 0.0]))))))
            if clearance < -SLACK:
                raise ProblemError(
                    f"{where}: {frame} is not {self.side} {self.label} there, by {-clearance:.4g} m; move the via "
                    "point, the region or the margin."
                )


@dataclass(frozen=True)
class KeepOut(Keep):
    """An obstacle: points of the arm keep out of a region.

    Parameters
    ----------
    region : Sphere, Box or HalfSpace
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

    Notes
    -----
    Enforced at mesh and collocation points. Violations in between show in the replay, ``plan.replay().excesses``; with
    ``refine=True`` the mesh is refined until the replay satisfies it too.
    """

    side: ClassVar[str] = "outside"

    def distances(self, r: ca.SX) -> ca.SX:
        return self.region.outside(r, self.margin)


@dataclass(frozen=True)
class KeepIn(Keep):
    """Points of the arm stay in a region; parameters as for `KeepOut`."""

    side: ClassVar[str] = "inside"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.margin >= self.region.smallest:
            raise ProblemError(
                f"KeepIn: margin = {self.margin:g} m leaves nothing of the {self.label}; must be less than "
                f"{self.region.smallest:g} m."
            )

    def distances(self, r: ca.SX) -> ca.SX:
        return self.region.inside(r, self.margin)


def _names(where: str, value: Any) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else value
    if not isinstance(names, (tuple, list)) or not all(isinstance(name, str) and name for name in names):
        raise ProblemError(f'{where} = {value!r}; must be a name or a sequence of names, as "payload".')
    return tuple(names)
