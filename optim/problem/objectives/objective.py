"""The objective functional: what a plan minimises, a weighted sum of terms.

Each term is a file of its own and says there all that the rest asks of it, so that a new term is a new file and a line
in `flexblocks.optim.problem.objectives`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from ...errors import ProblemError


class InputForm(Protocol):
    """How inputs run over an interval, as far as a term of the objective may ask."""

    @property
    def name(self) -> str: ...

    @property
    def degree(self) -> int: ...

    @property
    def is_continuous(self) -> bool: ...


class PhaseModel(Protocol):
    """The optimisation model of one phase of the motion, as far as a term of the objective may build on it.

    What it returns are numbers or expressions of that model.
    """

    @property
    def duration(self) -> Any:
        """[s]"""
        ...

    def integral_of_squared_inputs(self, term: Objective) -> Any:
        """Return the integral of the weighted squares that `Objective.input_weights` names, exact by quadrature."""
        ...

    def integral(self, term: Any) -> Any:
        """Return the integral of the integrand of a `Lagrangian`, by the collocation's own quadrature."""
        ...

    def final_value(self, term: Any) -> Any:
        """Return the value of a `Mayer` term at the end of the motion; zero for a phase after which that goes on."""
        ...


class Objective(ABC):
    """Something to minimise. Objectives add up and take weights: ``Time() + 0.1 * Effort()``.

    Attributes
    ----------
    is_shared : bool
        Whether scenarios that share inputs and durations have it in common.
    word : str
        The word by which a problem may ask for it with its default weights, if there is one.
    """

    is_shared: ClassVar[bool] = False
    word: ClassVar[str] = ""

    @property
    def terms(self) -> tuple[tuple[float, Objective], ...]:
        """The summands that are no sums themselves, with their weights."""
        return ((1.0, self),)

    @property
    def label(self) -> str:
        """One word: the name of its component in a model, and what it is called in logs."""
        return type(self).__name__.lower()

    @property
    def time_weight(self) -> float:
        """What one more second of duration costs as such: 0 for what is no price of time."""
        return 0.0

    @property
    def input_weights(self) -> Mapping[int, float]:
        """Weights of the squared inputs (order 0) and of their squared derivatives (1, 2), those that are not zero."""
        return {}

    def check_inputs(self, inputs: InputForm) -> None:  # noqa: B027  (most take inputs of any form)
        """Refuse inputs of a form that the term cannot be minimised with.

        Raises
        ------
        ProblemError
        """

    @abstractmethod
    def cost(self, phase: PhaseModel) -> Any:
        """Return what the term costs over a phase, from what its model offers."""

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

    @property
    def time_weight(self) -> float:
        return sum(weight * term.time_weight for weight, term in self.summands)

    @property
    def input_weights(self) -> Mapping[int, float]:
        weights: dict[int, float] = {}
        for weight, term in self.summands:
            for order, own in term.input_weights.items():
                weights[order] = weights.get(order, 0.0) + weight * own
        return weights

    def check_inputs(self, inputs: InputForm) -> None:
        for _, term in self.summands:
            term.check_inputs(inputs)

    def cost(self, phase: PhaseModel) -> Any:
        return sum(weight * term.cost(phase) for weight, term in self.summands)

    def __str__(self) -> str:
        return " + ".join(f"{'' if weight == 1 else f'{weight:g} '}({term})" for weight, term in self.summands)


def nonnegative(where: str, name: str, value: Any, unit: str = "") -> float:
    """Return a finite number >= 0 or refuse it."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise ProblemError(f"{where}: {name} = {value!r}; must be a finite number >= 0{unit}.")
    return float(value)
