"""What a plan minimises: effort, time, vibration and their weighted sums."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from ..errors import ProblemError


class Objective:
    """Something to minimise. Objectives add up and take weights: ``Time() + 0.1 * Effort()``.

    Attributes
    ----------
    is_shared : bool
        Whether scenarios that share inputs and durations have it in common.
    """

    is_shared: ClassVar[bool] = False

    @property
    def terms(self) -> tuple[tuple[float, Objective], ...]:
        """The summands that are no sums themselves, with their weights."""
        return ((1.0, self),)

    def __add__(self, other: Objective) -> Objective:
        if not isinstance(other, Objective):
            return NotImplemented
        return WeightedSum(self.terms + other.terms)

    def __mul__(self, weight: float) -> Objective:
        if isinstance(weight, Objective):
            return NotImplemented
        weight = nonnegative("Objective", "weight", weight)
        return WeightedSum(tuple((weight * own, term) for own, term in self.terms))

    __rmul__ = __mul__


@dataclass(frozen=True)
class WeightedSum(Objective):
    """A sum of objectives with weights, as the operators make it; summands of a kind are put together."""

    summands: tuple[tuple[float, Objective], ...]

    def __post_init__(self) -> None:
        weights: dict[Objective, float] = {}
        for weight, term in self.summands:
            weights[term] = weights.get(term, 0.0) + weight
        object.__setattr__(self, "summands", tuple((weight, term) for term, weight in weights.items() if weight))
        if not self.summands:
            raise ProblemError("Objective: all weights are 0, so nothing is left to minimise; give one that is > 0.")

    @property
    def terms(self) -> tuple[tuple[float, Objective], ...]:
        return self.summands

    def __str__(self) -> str:
        return " + ".join(f"{'' if weight == 1 else f'{weight:g} '}({term})" for weight, term in self.summands)


def has_term(objective: Objective, kind: type[Objective]) -> bool:
    """Whether an objective of that kind is among the terms."""
    return any(isinstance(term, kind) for _, term in objective.terms)


def nonnegative(where: str, name: str, value: Any, unit: str = "") -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise ProblemError(f"{where}: {name} = {value!r}; must be a finite number >= 0{unit}.")
    return float(value)
