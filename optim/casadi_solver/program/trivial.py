"""Trivial constraints: those without free variables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pyomo.core.base.constraint import ConstraintData

from .errors import TrivialConstraintError

#: IPOPT's default, and that of Pyomo's own model writers for constraints without free variables.
TOLERANCE = 1e-8


@dataclass(frozen=True)
class TrivialRows:
    """Constraints without free variables: not part of the program, but checked.

    Attributes
    ----------
    constraints : list of ConstraintData
    body, lower, upper : float arrays
        The body, and the bounds less the body.
    """

    constraints: list[ConstraintData]
    body: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    def check(self) -> None:
        """Refuse constraints that are violated.

        Raises
        ------
        TrivialConstraintError
        """
        body, lower, upper = self.body, self.lower, self.upper
        for i in np.flatnonzero(~((lower <= TOLERANCE) & (upper >= -TOLERANCE))).tolist():
            raise TrivialConstraintError(
                f"Constraint '{self.constraints[i].name}' has no free variable and is {body[i]:g}; must be in "
                f"[{lower[i] + body[i]:g}, {upper[i] + body[i]:g}]. Unfix one of its variables or change a constant."
            )
