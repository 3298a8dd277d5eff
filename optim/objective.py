"""What a plan minimises: effort, time, vibration and their weighted sums."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from flexblocks.errors import nearest

from .errors import ProblemError


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
        weight = _weight("Objective", "weight", weight)
        return WeightedSum(tuple((weight * own, term) for own, term in self.terms))

    __rmul__ = __mul__


@dataclass(frozen=True)
class Effort(Objective):
    """The integral over the motion of sum(u^2 + rate_weight der(u)^2) over all inputs u.

    Exact: the inputs are polynomials, and Gauss quadrature integrates their squares without error.

    Parameters
    ----------
    rate_weight : float
        Weight of the inputs' rates [s2]. Without it the optimum lives off modes that the mesh does not resolve: under
        refinement it goes on falling, and its replay misses the goal.
    """

    is_shared: ClassVar[bool] = True
    rate_weight: float = 0.01

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate_weight", _weight("Effort", "rate_weight", self.rate_weight, " [s2]"))

    @property
    def squared(self) -> Mapping[int, float]:
        """Weights of the squared inputs (0) and of their squared rates (1)."""
        return {0: 1.0, 1: self.rate_weight}

    def __str__(self) -> str:
        rate = f" + {self.rate_weight:g} der(u)^2" if self.rate_weight else ""
        return f"effort, the integral of u^2{rate} over all inputs"


@dataclass(frozen=True)
class Time(Objective):
    """The duration of the motion [s], which must be free."""

    is_shared: ClassVar[bool] = True

    def __str__(self) -> str:
        return "time, the duration"


@dataclass(frozen=True)
class Vibration(Objective):
    """The integral over the motion of the elastic energy [J s] stored in all springs and beams.

    Integrated by the collocation's own quadrature: exact as far as the energy over an interval is a polynomial of
    degree 2 d - 2 at most, at the order of the collocated states beyond.
    """

    def __str__(self) -> str:
        return "vibration, the integral of the elastic energy"


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


NAMED = {"effort": Effort, "time": Time, "vibration": Vibration}


def objective_named(given: Objective | str) -> Objective:
    """Return the objective itself, or the one of that name with its default weights.

    Raises
    ------
    ProblemError
        There is none of that name.
    """
    if isinstance(given, Objective):
        return given
    if isinstance(given, str) and given in NAMED:
        return NAMED[given]()
    names = ", ".join(f'"{name}"' for name in NAMED)
    raise ProblemError(
        f"objective = {given!r}; must be {names}, optim.Effort(rate_weight=...), or a weighted sum as "
        f"optim.Time() + 0.1 * optim.Effort().{nearest(str(given), NAMED)}"
    )


def has_term(objective: Objective, kind: type[Objective]) -> bool:
    """Whether an objective of that kind is among the terms."""
    return any(isinstance(term, kind) for _, term in objective.terms)


def _weight(where: str, name: str, value: Any, unit: str = "") -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise ProblemError(f"{where}: {name} = {value!r}; must be a finite number >= 0{unit}.")
    return float(value)
