"""Trivial constraints: those without free variables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pyomo.core.base.constraint import ConstraintData

from .coefficients import Coefficients
from .errors import TrivialConstraintError

#: IPOPT's default, and that of Pyomo's own model writers for constraints without free variables.
TOLERANCE = 1e-8


@dataclass(frozen=True)
class TrivialRows:
    """Constraints without free variables: not part of the program, but checked.

    Attributes
    ----------
    constraints : list of ConstraintData
    body, lower, upper : Coefficients
        The body, and the bounds less the body.
    """

    constraints: list[ConstraintData]
    body: Coefficients
    lower: Coefficients
    upper: Coefficients

    def check(self, constants: np.ndarray) -> None:
        """Refuse values of the constants that violate a constraint.

        Raises
        ------
        TrivialConstraintError
        """
        body, lower, upper = (part.at(constants) for part in (self.body, self.lower, self.upper))
        for i in np.flatnonzero(~((lower <= TOLERANCE) & (upper >= -TOLERANCE))).tolist():
            raise TrivialConstraintError(
                f"Constraint '{self.constraints[i].name}' has no free variable and is {body[i]:g}; must be in "
                f"[{lower[i] + body[i]:g}, {upper[i] + body[i]:g}]. Unfix one of its variables or change a constant."
            )
