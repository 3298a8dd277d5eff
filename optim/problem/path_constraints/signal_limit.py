"""Signal limit: a limit on a named dependent quantity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from flexblocks.errors import NameUnknownError, listing, nearest

from ...errors import ProblemError
from ..signals.signals import Signals
from .path_constraint import BoundedValue, PathConstraint


@dataclass(frozen=True)
class SignalLimit(PathConstraint):
    """A limit on an output, a point position, an acceleration or another signal, see `Signals`."""

    may_be_lifted: ClassVar[bool] = False
    name: str
    low: float
    high: float

    @property
    def label(self) -> str:
        return self.name

    def values(self, label: str, signals: Signals) -> list[BoundedValue]:
        try:
            return [BoundedValue(self.name, signals[self.name], self.low, self.high)]
        except NameUnknownError as error:
            raise ProblemError(
                f"plan: limits: there is no input, input rate, state or output '{self.name}' ({listing(signals)}; and "
                f".x, .y, .z of points).{nearest(self.name, signals)}"
            ) from error
