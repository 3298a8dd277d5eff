"""What a plan minimises."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .errors import ProblemError


@dataclass(frozen=True)
class Effort:
    """The integral over the motion of sum(u^2 + rate_weight der(u)^2) over all inputs u.

    Parameters
    ----------
    rate_weight : float
        Weight of the inputs' rates [s2]. Without it the optimum lives off modes that the mesh does not resolve: under
        refinement it goes on falling, and its replay misses the goal.
    """

    rate_weight: float = 0.01

    def __post_init__(self) -> None:
        weight = self.rate_weight
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 <= weight < math.inf:
            raise ProblemError(f"Effort: rate_weight = {weight!r}; must be a finite number >= 0 [s2].")

    def __str__(self) -> str:
        rate = f" + {self.rate_weight:g} der(u)^2" if self.rate_weight else ""
        return f"effort, the integral of u^2{rate} over all inputs"


def objective_named(given: Effort | str) -> Effort:
    """Return the objective itself, or the one of that name with its default weights.

    Raises
    ------
    ProblemError
        There is none of that name.
    """
    if isinstance(given, Effort):
        return given
    if given == "effort":
        return Effort()
    raise ProblemError(f'RestToRest: objective = {given!r}; must be "effort" or optim.Effort(rate_weight=...).')
