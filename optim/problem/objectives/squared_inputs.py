"""Squares of inputs and of their rates: what effort and jerk have in common."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from flexblocks.errors import meant

from ...errors import ProblemError
from .objective import InputForm, Objective, PhaseModel, nonnegative


class SquaredInputs(Objective):
    """An integral over the motion of squared inputs, or of their squared derivatives. Exact, by Gauss quadrature.

    Attributes
    ----------
    relative_to : dict of float, optional
        Size of each input by name: the squares are then those of u over it.
    """

    is_shared: ClassVar[bool] = True
    relative_to: Mapping[str, float] | None

    def __post_init__(self) -> None:
        if self.relative_to is not None:
            object.__setattr__(self, "relative_to", _sizes(self.label.capitalize(), self.relative_to))

    def sized(self, sizes: Mapping[str, float]) -> Self:
        term: Any = self  # a dataclass, as each of these terms is
        return self if self.relative_to is not None else replace(term, relative_to=sizes)

    def squares(self, inputs: Sequence[str]) -> np.ndarray:
        """Return the weights (nu,) of squared inputs; those without a size, which cannot be chosen, cost nothing."""
        sizes = dict.fromkeys(inputs, 1.0) if self.relative_to is None else self.relative_to
        return np.array([sizes.get(name, math.inf) ** -2 for name in inputs])

    def check_inputs(self, inputs: InputForm, names: Sequence[str], others: Collection[str] = ()) -> None:
        if self.relative_to is None:
            return
        where = f"{self.label.capitalize()}: relative_to"
        unknown = [name for name in self.relative_to if name not in names and name not in others]
        if unknown:
            told = meant(unknown[0], names, f"must be inputs: {', '.join(names)}.")
            raise ProblemError(f"{where}: {', '.join(unknown)}{told}")
        missing = [name for name in names if name not in self.relative_to]
        if missing:
            raise ProblemError(
                f"{where}: without {', '.join(missing)}; give the size of every input, such as its limit, so that "
                "their squares compare."
            )

    def cost(self, phase: PhaseModel) -> Any:
        return phase.integral_of_squared_inputs(self)

    @property
    def over(self) -> str:
        """What is reported of sizes in words."""
        return "" if self.relative_to is None else ", each over its size"


def _sizes(where: str, given: Any) -> dict[str, float]:
    """Return the sizes of inputs by name, or refuse them."""
    if not isinstance(given, Mapping) or not given:
        raise ProblemError(
            f'{where}: relative_to = {given!r}; must be a dict of sizes by input, as {{"motor1.torque": 150.0, ...}}.'
        )
    sizes = {name: nonnegative(where, f"relative_to[{name!r}]", size) for name, size in given.items()}
    zero = [name for name, size in sizes.items() if size == 0]
    if zero:
        raise ProblemError(f"{where}: relative_to[{zero[0]!r}] = 0; must be > 0, a typical size of that input.")
    return sizes
