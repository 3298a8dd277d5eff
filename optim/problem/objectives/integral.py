"""User-defined Lagrange term."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import casadi as ca

from ..signals.expression import Expression, checked_expression
from ..signals.instant import Instant
from .functionals import Lagrangian


@dataclass(frozen=True, eq=False)
class Integral(Lagrangian):
    """The integral over the motion of an expression.

    Parameters
    ----------
    expression : callable or str
        ``lambda s: s["link1.tip_deflection_y"] ** 2``, of CasADi expressions by name (see `Signals`), or the same as
        text.
    name : str, optional
        For display.

    Notes
    -----
    Integrated by the collocation's quadrature: exact for polynomials of degree 2 d - 2 over an interval.

    Examples
    --------
    >>> from flexblocks import optim
    >>> swing = optim.Integral("link1.tip_deflection_y**2") + 1e-3 * optim.Effort()
    >>> ripple = optim.Integral(lambda s: s["der(joint1.angle)"] ** 2, name="ripple")
    """

    expression: Any
    name: str | None = None
    checked: Expression = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "checked", checked_expression("Integral", self.expression))

    def integrand(self, at: Instant, reference: ca.SX) -> ca.SX:
        return self.checked.at(at)

    def __str__(self) -> str:
        return f"the integral of {self.name or self.checked}"
