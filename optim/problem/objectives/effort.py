"""Effort: the squared inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ...errors import ProblemError
from .objective import InputForm, Objective, PhaseModel, nonnegative


@dataclass(frozen=True)
class Effort(Objective):
    """The integral over the motion of sum(u^2 + rate_weight der(u)^2) over all inputs u.

    Exact: the inputs are polynomials, and Gauss quadrature integrates their squares without error.

    Parameters
    ----------
    rate_weight : float
        Weight of the inputs' rates [s2]. Without it the optimum exploits modes that the mesh does not resolve: its cost
        keeps falling under refinement, and its replay misses the goal.
    """

    is_shared: ClassVar[bool] = True
    word: ClassVar[str] = "effort"
    rate_weight: float = 0.01

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate_weight", nonnegative("Effort", "rate_weight", self.rate_weight, " [s2]"))

    @property
    def input_weights(self) -> Mapping[int, float]:
        return {0: 1.0, 1: self.rate_weight} if self.rate_weight else {0: 1.0}

    def check_inputs(self, inputs: InputForm) -> None:
        if self.rate_weight and not inputs.is_continuous:
            raise ProblemError(
                f"plan: inputs = '{inputs.name}' jump, so their rate cannot be weighted (rate_weight = "
                f"{self.rate_weight:g} s2); use continuous inputs, or objective=optim.Effort(rate_weight=0)."
            )

    def cost(self, phase: PhaseModel) -> Any:
        return phase.integral_of_squared_inputs(self)

    def __str__(self) -> str:
        rate = f" + {self.rate_weight:g} der(u)^2" if self.rate_weight else ""
        return f"effort, the integral of u^2{rate} over all inputs"
