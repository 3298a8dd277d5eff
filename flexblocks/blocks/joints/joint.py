"""Base class of joints with one degree of freedom."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flexblocks.errors import ParameterError
from flexblocks.interfaces import Block, Carried, StateRange, parameter, unit_vector

ALONG_Z = (0.0, 0.0, 1.0)
PLANNED = "which only plans keep; "
STOPS = "fb.EndStops stop the joint in simulations, too"
SPEED = "drive it more slowly"


@dataclass(frozen=True, init=False)
class Joint(Block):
    """Base of `Revolute` and `Prismatic`.

    The argument `axis` is kept in the field `direction`, because ``joint.axis`` is the port of the drive side.
    Each joint declares `damping`, `start`, `low`, `high` and `max_speed` in its units. `direction` is an argument as
    well, for `dataclasses.replace`, which passes on the fields; `axis` goes before it.
    """

    low: float | None = parameter("1", default=None, symbolic=False)
    high: float | None = parameter("1", default=None, symbolic=False)
    max_speed: float | None = parameter("1", default=None, symbolic=False)

    direction: tuple[float, ...] = parameter("1", shape=(3,), default=ALONG_Z, argument="axis")

    def __init__(
        self,
        name: str,
        axis: Sequence[float] = ALONG_Z,
        damping: float = 0.0,
        start: float = 0.0,
        *,
        low: float | None = None,
        high: float | None = None,
        max_speed: float | None = None,
        direction: Sequence[float] | None = None,
    ) -> None:
        # Identity, not equality: an axis along z that the user gave replaces another direction.
        if direction is not None and axis is ALONG_Z:
            axis = direction
        given = {"name": name, "direction": axis, "damping": damping, "start": start}
        for field, value in (given | {"low": low, "high": high, "max_speed": max_speed}).items():
            object.__setattr__(self, field, value)
        self.__post_init__()
        object.__setattr__(self, "direction", unit_vector(self.where, "axis", self.direction))
        refuse_empty_range(self.where, self.low, self.high, self.coordinates()[0].unit)

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return {"axis": (self.coordinates()[0].name, 1.0)}

    def state_ranges(self) -> Mapping[str, StateRange]:
        name, ranges = self.coordinates()[0].name, dict[str, StateRange]()
        if self.low is not None or self.high is not None:
            low, high = range_of(self.low, self.high)
            ranges[name] = StateRange(f"a limit of the joint, {PLANNED}{STOPS}", low, high, kept=True)
        if self.max_speed is not None:
            beyond = f"max_speed of the joint, {PLANNED}{SPEED}"
            ranges[f"der({name})"] = StateRange(beyond, -self.max_speed, self.max_speed, kept=True)
        return ranges

    def doubts(self, carried: Carried) -> tuple[str, ...]:
        del carried
        low, high = range_of(self.low, self.high)
        own = self.coordinates()[0]
        if low <= own.start <= high:
            return ()
        return (
            f"{self.where}: start = {own.start:g} {own.unit}; its limits are {low:g} to {high:g}. "
            "Start within them, by start=, or plan from another posture.",
        )


def range_of(low: float | None, high: float | None) -> tuple[float, float]:
    """Return limits that may be None as numbers, infinite where there is none."""
    return -math.inf if low is None else low, math.inf if high is None else high


def refuse_empty_range(where: str, low: float | None, high: float | None, unit: str) -> None:
    """Refuse limits between which there is nothing.

    Raises
    ------
    ParameterError
    """
    if low is not None and high is not None and not low < high:
        raise ParameterError(f"{where}: low = {low:g} {unit}, high = {high:g} {unit}; low must be < high.")
