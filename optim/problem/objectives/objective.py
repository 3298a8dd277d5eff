"""The objective functional: what a plan minimises, a weighted sum of terms.

Each term has its own file with everything specific to it, so that a new term is a new file and a line in
`flexblocks.optim.problem.objectives`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from ...errors import ProblemError


class InputForm(Protocol):
    """The part of an input parametrisation that an objective term may depend on."""

    @property
    def name(self) -> str: ...

    @property
    def degree(self) -> int: ...

    @property
    def is_continuous(self) -> bool: ...


class PhaseModel(Protocol):
    """The part of a phase's optimisation model that an objective term may build on.

    Its methods return numbers or expressions of that model.
    """

    @property
    def duration(self) -> Any:
        """[s]"""
        ...

    def integral_of_squared_inputs(self, term: Objective) -> Any:
        """Return the integral of the weighted squares that `Objective.input_weights` names, exact by quadrature."""
        ...

    def integral(self, term: Any) -> Any:
        """Return the integral of the integrand of a `Lagrangian`, by the collocation's quadrature."""
        ...

    def final_value(self, term: Any) -> Any:
        """Return the value of a `Mayer` term at the end of the motion; zero for every phase but the last."""
        ...


class Objective(ABC):
    """An objective functional. Objectives can be added and weighted: ``Time() + 0.1 * Effort()``.

    Attributes
    ----------
    is_shared : bool
        Whether its value is common to all scenarios, which share inputs and durations.
    word : str
        The name by which a problem may select it with default weights; empty if there is none.
    """

    is_shared: ClassVar[bool] = False
    word: ClassVar[str] = ""

    @property
    def terms(self) -> tuple[tuple[float, Objective], ...]:
        """The elementary terms with their weights."""
        return ((1.0, self),)

    @property
    def label(self) -> str:
        """Its name in one word, used for the model's component and in logs."""
        return type(self).__name__.lower()

    @property
    def time_weight(self) -> float:
        """Explicit cost of one second of duration; 0 unless the term penalises time."""
        return 0.0

    def input_weights(self, inputs: Sequence[str]) -> Mapping[int, np.ndarray]:
        """Return the weights (nu,) of the squares of these inputs (order 0) and of their derivatives (1, 2)."""
        return {}

    def lasting(self, duration: float) -> Objective:
        """Return the objective of a motion of this duration [s], with the weights that depend on it."""
        return self

    def sized(self, sizes: Mapping[str, float]) -> Objective:
        """Return the objective with inputs over these sizes, by name, unless it has its own: their squares compare."""
        return self

    def check_inputs(self, inputs: InputForm, names: Sequence[str], others: Collection[str] = ()) -> None:  # noqa: B027  (most terms accept any input parametrisation)
        """Refuse an input parametrisation, or names of inputs, that are incompatible with the term.

        Of the arm's inputs a plan chooses `names`; `others`, such as references whose rates it chooses, may be named.

        Raises
        ------
        ProblemError
        """

    @abstractmethod
    def cost(self, phase: PhaseModel) -> Any:
        """Return the cost of the term over a phase."""

    def __add__(self, other: Any) -> Objective:
        if not isinstance(other, Objective):
            raise ProblemError(f"Objective: + {other!r}; only objectives can be added, as Time() + 0.1 * Effort().")
        return WeightedSum(self.terms + other.terms)

    def __radd__(self, other: Any) -> Objective:
        return self if isinstance(other, int) and other == 0 else self.__add__(other)  # sum() starts from zero

    def __mul__(self, weight: Any) -> Objective:
        if isinstance(weight, Objective):
            raise ProblemError("Objective: a product of two objectives; weigh them by numbers, and add them.")
        weight = nonnegative("Objective", "weight", weight)
        return WeightedSum(tuple((weight * term_weight, term) for term_weight, term in self.terms))

    __rmul__ = __mul__


@dataclass(frozen=True)
class WeightedSum(Objective):
    """A weighted sum of objectives, as made by the operators; equal summands are merged."""

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

    def input_weights(self, inputs: Sequence[str]) -> Mapping[int, np.ndarray]:
        weights: dict[int, np.ndarray] = {}
        for weight, term in self.summands:
            for order, of_term in term.input_weights(inputs).items():
                weights[order] = weights.get(order, np.zeros(len(inputs))) + weight * of_term
        return weights

    def lasting(self, duration: float) -> Objective:
        return WeightedSum(tuple((weight, term.lasting(duration)) for weight, term in self.summands))

    def sized(self, sizes: Mapping[str, float]) -> Objective:
        return WeightedSum(tuple((weight, term.sized(sizes)) for weight, term in self.summands))

    def check_inputs(self, inputs: InputForm, names: Sequence[str], others: Collection[str] = ()) -> None:
        for _, term in self.summands:
            term.check_inputs(inputs, names, others)

    def cost(self, phase: PhaseModel) -> Any:
        return sum(weight * term.cost(phase) for weight, term in self.summands)

    def __str__(self) -> str:
        return " + ".join(f"{'' if weight == 1 else f'{weight:g} '}({term})" for weight, term in self.summands)


def nonnegative(where: str, name: str, value: Any, unit: str = "") -> float:
    """Return a finite number >= 0 or refuse it."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise ProblemError(f"{where}: {name} = {value!r}; must be a finite number >= 0{unit}.")
    return float(value)
