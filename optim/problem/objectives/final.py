"""User-defined Mayer term."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import casadi as ca

from ..signals.expression import Expression, checked_expression
from ..signals.instant import Instant
from .functionals import Mayer


@dataclass(frozen=True, eq=False)
class Final(Mayer):
    """The value of an expression at the end of the motion; parameters as for `Integral`."""

    expression: Any
    name: str | None = None
    checked: Expression = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "checked", checked_expression("Final", self.expression))

    def value(self, at: Instant) -> ca.SX:
        return self.checked.at(at)

    def __str__(self) -> str:
        return f"the final value of {self.name or self.checked}"
