"""Signal limit: a limit on a named dependent quantity."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import casadi as ca

from flexblocks.errors import NameUnknownError, listing, nearest

from ...errors import ProblemError
from ..signals.signals import Signals
from .path_constraint import BoundedValue, PathConstraint


@dataclass(frozen=True)
class SignalLimit(PathConstraint):
    """A limit on an output, a point position, an acceleration or another signal, see `Signals`.

    An upper limit on the largest of several values is one on each of them: smooth, whichever is the largest.
    """

    may_be_lifted: ClassVar[bool] = False
    name: str
    low: float
    high: float

    @property
    def label(self) -> str:
        return self.name

    def values(self, label: str, signals: Signals) -> list[BoundedValue]:
        try:
            value = signals[self.name]
        except NameUnknownError:
            raise ProblemError(
                f"plan: limits: there is no input, input rate, state or output '{self.name}' ({listing(signals)}; and "
                f".x, .y, .z of points).{nearest(self.name, signals)}"
            ) from None
        return within(self.name, value, self.low, self.high)


def within(name: str, value: ca.SX, low: float, high: float) -> list[BoundedValue]:
    """Return a value with its bounds, or the values that it is the largest of, numbered, with theirs."""
    parts = _parts(value)
    if len(parts) == 1 or high == math.inf:
        return [BoundedValue(name, value, low, high)]
    # A constant, such as the stress at an end that is free, is no constraint on the motion if it keeps the limit.
    kept = [(i, part) for i, part in enumerate(parts, 1) if not (part.is_constant() and float(part) <= high)]
    rows = [_magnitude(f"{name} ({i})", part, high) for i, part in kept]
    # That the largest is not below a bound is no bound on each; magnitudes are never below zero.
    bounded_below = low > 0 or (low > -math.inf and not any(part.is_op(ca.OP_FABS) for part in parts))
    return [*rows, BoundedValue(name, value, low, math.inf)] if bounded_below else rows


def _magnitude(name: str, part: ca.SX, high: float) -> BoundedValue:
    """Return an upper bound, which on a magnitude is one on both sides of what it is the magnitude of."""
    if part.is_op(ca.OP_FABS):
        return BoundedValue(name, part.dep(0), -high, high)
    return BoundedValue(name, part, high=high)


def _parts(value: ca.SX) -> list[ca.SX]:
    """Return the values that a value is the largest of; itself if it is no maximum."""
    if not value.is_op(ca.OP_FMAX):
        return [value]
    return [part for i in range(2) for part in _parts(value.dep(i))]
