"""Effort: the squared inputs."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from ...errors import ProblemError
from .objective import InputForm, nonnegative
from .squared_inputs import SquaredInputs

# The time that weighs the inputs' rates, as a share of the duration: 0.1 s for the two-link arm's 2 s, where it was
# chosen. A constant of 0.1 s would not smooth the inputs of a crane that moves for 30 s, nor those of a wrist in 20 ms.
SMOOTHING = 0.05


@dataclass(frozen=True)
class Effort(SquaredInputs):
    """The integral over the motion of sum(u^2 + rate_weight der(u)^2) over all inputs u.

    Exact: the inputs are polynomials, and Gauss quadrature integrates their squares without error.

    Parameters
    ----------
    rate_weight : float, optional
        Weight of the inputs' rates [s2], the square of a time; by default of a twentieth of the duration, 0.01 s2 for 2
        s: of all phases together, and of the estimate of a free duration. With weight 0 the optimum exploits modes that
        the mesh does not resolve: its cost keeps falling under refinement, and its replay misses the goal.
    relative_to : dict of float, optional
        Size of each input by name, such as its limit: the squares are then those of u over it (accelerations of known
        motions, which cannot be chosen, need none, and count for nothing). Motors of different strength do not compare
        as they are. Inputs of one unit do by default; of several units (torques of a shoulder, the force of a slide,
        the speed of a winch), each counts over the largest that the rigid arm's motion takes of its unit, which the
        summary states: squares of N m added to squares of N would depend on the size of the arm.
    """

    word: ClassVar[str] = "effort"
    rate_weight: float | None = None
    relative_to: Mapping[str, float] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        if self.rate_weight is not None:
            object.__setattr__(self, "rate_weight", nonnegative("Effort", "rate_weight", self.rate_weight, " [s2]"))
        super().__post_init__()

    def input_weights(self, inputs: Sequence[str]) -> Mapping[int, np.ndarray]:
        """Return the weights of u^2 and der(u)^2; NaN for the latter until the duration they depend on is known."""
        one = self.squares(inputs)
        if self.rate_weight is None:
            return {0: one, 1: math.nan * one}
        return {0: one, 1: self.rate_weight * one} if self.rate_weight else {0: one}

    def lasting(self, duration: float) -> Effort:
        return replace(self, rate_weight=(SMOOTHING * duration) ** 2) if self.rate_weight is None else self

    def check_inputs(self, inputs: InputForm, names: Sequence[str], others: Collection[str] = ()) -> None:
        super().check_inputs(inputs, names, others)
        if self.rate_weight != 0 and not inputs.is_continuous:
            weight = "" if self.rate_weight is None else f" (rate_weight = {self.rate_weight:g} s2)"
            raise ProblemError(
                f"plan: inputs = '{inputs.name}' jump, so their rate cannot be weighted{weight}; use continuous "
                "inputs, or objective=optim.Effort(rate_weight=0)."
            )

    def __str__(self) -> str:
        if self.rate_weight is None:
            return f"effort, the integral of u^2 + (T/20)^2 der(u)^2 over all inputs{self.over}"
        rate = f" + {self.rate_weight:.4g} der(u)^2" if self.rate_weight else ""
        return f"effort, the integral of u^2{rate} over all inputs{self.over}"
