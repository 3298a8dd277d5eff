"""Self-collision: links of an arm, as capsules, that keep apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import casadi as ca

from ...errors import ProblemError
from ..signals.signals import Signals
from ..validation import number
from .links import are_joined, axis_pieces
from .names import names
from .path_constraint import BoundedValue, PathConstraint
from .segments import beyond, squared_distance


@dataclass(frozen=True)
class KeepApart(PathConstraint):
    """Links of an arm keep apart from each other: each is a capsule, or several in a row where it bends.

    Parameters
    ----------
    links : str or sequence of str
        Links of one arm or of several. Those that are joined to each other are left out as a pair.
    frames : str or sequence of str
        Points that keep apart from the links, as balls: ``"payload"``, see `flexblocks.place.place`.
    radius : float or dict of float
        Of all capsules and balls [m], or by name.
    margin : float
        Minimum distance between their surfaces [m].
    pieces : int
        Straight pieces that a flexible link is taken for.
    name : str, optional
        For messages.

    Notes
    -----
    Enforced at mesh and collocation points, see `KeepOut`.
    """

    is_distance: ClassVar[bool] = True
    links: Any = ()
    frames: Any = ()
    radius: Any = 0.0
    margin: float = 0.0
    pieces: int = 2
    name: str | None = None

    def __post_init__(self) -> None:
        for group in ("links", "frames"):
            object.__setattr__(self, group, names(f"KeepApart: {group}", getattr(self, group)))
        everything = (*self.links, *self.frames)
        if not self.links or len(set(everything)) < 2:
            raise ProblemError('KeepApart: name two links or more, or a link and frames, as links=("link1", "link3").')
        radii = self.radius if isinstance(self.radius, Mapping) else dict.fromkeys(everything, self.radius)
        if wrong := sorted(set(everything) ^ set(radii)):
            raise ProblemError(f"KeepApart: radius: {wrong[0]}; must be one number, or one for each link and frame.")
        for name, value in (
            *((f"radius of {name}", radius) for name, radius in radii.items()),
            ("margin", self.margin),
        ):
            if number(f"KeepApart: {name}", value, "a finite number >= 0 [m]") < 0:
                raise ProblemError(f"KeepApart: {name} = {value!r}; must be a finite number >= 0 [m].")
        if isinstance(self.pieces, bool) or not isinstance(self.pieces, int) or self.pieces < 1:
            raise ProblemError(f"KeepApart: pieces = {self.pieces!r}; must be a whole number >= 1.")
        for pair in combinations(everything, 2):
            if self._clearance(*pair) <= 0:
                raise ProblemError(f"KeepApart: {' and '.join(pair)}: radius and margin are 0; one must be > 0 [m].")

    @property
    def label(self) -> str:
        """The name, or what it is."""
        return self.name or "apart"

    def values(self, label: str, signals: Signals) -> list[BoundedValue]:
        dae, kept = signals.instant.dae, []
        shapes: dict[str, Sequence[tuple[ca.SX, ...]]] = {
            link: axis_pieces(signals, link, self.pieces) for link in self.links
        }
        shapes |= {frame: [(signals.position(frame),)] for frame in self.frames}
        pairs = [pair for pair in combinations(shapes, 2) if not set(pair) <= set(self.frames)]
        pairs = [pair for pair in pairs if not are_joined(dae, *pair)]
        if not pairs:
            raise ProblemError(f"plan: path: {label}: {', '.join(shapes)} are joined to each other: nothing to keep.")
        for one, other in pairs:
            number_of, least = len(shapes[one]) * len(shapes[other]), self._clearance(one, other)
            distances = [
                beyond(squared_distance(first, second), least) for first in shapes[one] for second in shapes[other]
            ]
            for i, distance in enumerate(distances, 1):
                part = f" ({i})" if number_of > 1 else ""
                kept.append(BoundedValue(f"{one} {label} from {other}{part}", distance, low=0.0, least=least))
        return kept

    def size(self, bounded: BoundedValue) -> float:
        return min(self._clearance(*pair) for pair in combinations((*self.links, *self.frames), 2))

    def refusal(self, where: str, bounded: BoundedValue, value: float) -> str:
        short = bounded.beyond(-value)
        return f"{bounded.name} by {short:.4g} m too little. Move the {where}, or take a smaller radius or margin."

    def _clearance(self, one: str, other: str) -> float:
        """Return the least distance between two axes [m]."""
        radii = [self.radius[name] if isinstance(self.radius, Mapping) else self.radius for name in (one, other)]
        return sum(radii) + self.margin
