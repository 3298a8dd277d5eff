"""What a motion must keep to on its way, besides limits by name."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import ProblemError
from .expression import Expression, checked_expression
from .region import Region


@dataclass(frozen=True)
class Keep:
    """Points of an arm that keep to one side of a region's surface, see `KeepOut` and `KeepIn`."""

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
        """The name, or what the region is."""
        return self.name or type(self.region).__name__.lower()


@dataclass(frozen=True)
class KeepOut(Keep):
    """Keep points of the arm out of a region: an obstacle.

    Parameters
    ----------
    region : Sphere, Box or HalfSpace
    frames : str or sequence of str
        Points, see `flexblocks.place.place`: ``"payload"``, ``"link1"`` (its outboard end), ``"link1.station(0.25)"``.
    links : str or sequence of str
        Links that keep out as a whole, by `stations` points each, evenly spaced from beyond the root to the tip.
    stations : int
    margin : float
        Least distance from the region [m]; about half the thickness of a link, and what lies between its stations.
    name : str, optional
        For messages; by default what the region is.

    Notes
    -----
    Holds at mesh and collocation points. What happens between is seen in the replay: ``plan.replay().excesses``, and
    with ``refine=True`` the mesh is refined until the replay keeps it too.
    """


@dataclass(frozen=True)
class KeepIn(Keep):
    """Keep points of the arm in a region; the parameters are those of `KeepOut`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.margin >= self.region.smallest:
            raise ProblemError(
                f"KeepIn: margin = {self.margin:g} m leaves nothing of the {self.label}; must be less than "
                f"{self.region.smallest:g} m."
            )


@dataclass(frozen=True, eq=False)
class Within:
    """Keep an expression of what the arm has by name within limits.

    Parameters
    ----------
    expression : callable or str
        ``lambda s: s["payload.y"] - s["payload.x"]``, on CasADi expressions by name, or the same as text,
        ``"payload.y - payload.x"``; see `Expression`.
    low, high : float or None
    name : str, optional
        For messages.
    """

    expression: Callable[[Any], Any] | str
    low: float | None = None
    high: float | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        where = f"Within {self.name or ''}".rstrip()
        object.__setattr__(self, "expression", checked_expression(where, self.expression))
        for end in ("low", "high"):
            value = getattr(self, end)
            if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float)) or value != value):
                raise ProblemError(f"{where}: {end} = {value!r}; must be a number, or None for no limit.")
        low, high = self.range
        if not low < high or (math.isinf(low) and math.isinf(high)):
            raise ProblemError(
                f"{where}: low = {self.low}, high = {self.high}; one of them must limit, and low < high."
            )

    @property
    def range(self) -> tuple[float, float]:
        """Lower and upper limit, infinite where there is none."""
        return -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high

    @property
    def label(self) -> str:
        """The name, or the expression."""
        assert isinstance(self.expression, Expression)
        return self.name or str(self.expression)


PathConstraint = KeepOut | KeepIn | Within


def checked_path(where: str, given: Any) -> tuple[PathConstraint, ...]:
    """Return path constraints as a tuple, one alone as well.

    Raises
    ------
    ProblemError
        Something else is among them.
    """
    found = (given,) if isinstance(given, PathConstraint) else given
    if not isinstance(found, (tuple, list)) or not all(isinstance(one, PathConstraint) for one in found):
        raise ProblemError(
            f"{where} = {given!r}; must be a sequence of optim.KeepOut(...), optim.KeepIn(...) and optim.Within(...)."
        )
    return tuple(found)


def _names(where: str, given: Any) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else given
    if not isinstance(names, (tuple, list)) or not all(isinstance(name, str) and name for name in names):
        raise ProblemError(f'{where} = {given!r}; must be a name or a sequence of names, as "payload".')
    return tuple(names)
