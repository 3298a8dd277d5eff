"""Effort: the squared inputs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ...errors import ProblemError
from .objective import InputForm, Objective, PhaseModel, nonnegative

# The time that weighs the inputs' rates, as a share of the duration: 0.1 s for the two-link arm's 2 s, where it was
# chosen. A constant of 0.1 s would not smooth the inputs of a crane that moves for 30 s, nor those of a wrist in 20 ms.
SMOOTHING = 0.05


@dataclass(frozen=True)
class Effort(Objective):
    """The integral over the motion of sum(u^2 + rate_weight der(u)^2) over all inputs u.

    Exact: the inputs are polynomials, and Gauss quadrature integrates their squares without error.

    Parameters
    ----------
    rate_weight : float, optional
        Weight of the inputs' rates [s2], the square of a time; by default of a twentieth of the duration, 0.01 s2 for 2
        s: of all phases together, and of the estimate of a free duration. With weight 0 the optimum exploits modes that
        the mesh does not resolve: its cost keeps falling under refinement, and its replay misses the goal.
    """

    is_shared: ClassVar[bool] = True
    word: ClassVar[str] = "effort"
    rate_weight: float | None = None

    def __post_init__(self) -> None:
        if self.rate_weight is not None:
            object.__setattr__(self, "rate_weight", nonnegative("Effort", "rate_weight", self.rate_weight, " [s2]"))

    @property
    def input_weights(self) -> Mapping[int, float]:
        """Weights of u^2 and der(u)^2; NaN for the latter as long as the duration that it depends on is not known."""
        if self.rate_weight is None:
            return {0: 1.0, 1: math.nan}
        return {0: 1.0, 1: self.rate_weight} if self.rate_weight else {0: 1.0}

    def lasting(self, duration: float) -> Effort:
        return Effort((SMOOTHING * duration) ** 2) if self.rate_weight is None else self

    def check_inputs(self, inputs: InputForm) -> None:
        if self.rate_weight != 0 and not inputs.is_continuous:
            weight = "" if self.rate_weight is None else f" (rate_weight = {self.rate_weight:g} s2)"
            raise ProblemError(
                f"plan: inputs = '{inputs.name}' jump, so their rate cannot be weighted{weight}; use continuous "
                "inputs, or objective=optim.Effort(rate_weight=0)."
            )

    def cost(self, phase: PhaseModel) -> Any:
        return phase.integral_of_squared_inputs(self)

    def __str__(self) -> str:
        if self.rate_weight is None:
            return "effort, the integral of u^2 + (T/20)^2 der(u)^2 over all inputs"
        rate = f" + {self.rate_weight:.4g} der(u)^2" if self.rate_weight else ""
        return f"effort, the integral of u^2{rate} over all inputs"
