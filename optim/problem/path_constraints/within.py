"""User-defined path constraint: limits on an expression."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...errors import ProblemError
from ..signals.expression import Expression, checked_expression
from ..signals.signals import Signals
from .path_constraint import BoundedValue, PathConstraint


@dataclass(frozen=True, eq=False)
class Within(PathConstraint):
    """Limits on an expression of the arm's signals.

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
            if value is not None and not _is_number(value):
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

    def values(self, label: str, signals: Signals) -> list[BoundedValue]:
        assert isinstance(self.expression, Expression)
        return [BoundedValue(label, self.expression.at(signals.instant), *self.range)]


def _is_number(value: object) -> bool:
    """Whether a value is a number that a float holds, infinite ones included."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return not math.isnan(value)
    except OverflowError:  # an integer beyond all floats
        return False
