"""Methods of fixed steps by name: Runge-Kutta tableaux."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from flexblocks.dae.explicit_steps import Pair, rk8, rk43


@dataclass(frozen=True, eq=False)
class StepMethod:
    """Coefficients A (s, s), b (s,), c (s,) of an explicit Runge-Kutta method of s stages."""

    name: str
    A: np.ndarray
    b: np.ndarray
    c: np.ndarray

    @property
    def nodes(self) -> int:
        """How many inputs a step takes, at the places `c` of it."""
        return len(self.c)

    @property
    def evaluations(self) -> int:
        """How often a step evaluates the equations."""
        return len(self.b)


def _of_pair(name: str, pair: Pair) -> StepMethod:
    stages = len(pair.b) - pair.reuses_last
    A = np.ascontiguousarray(pair.A[:stages, :stages], dtype=float)
    return StepMethod(name, A, np.array(pair.b[:stages], dtype=float), pair.c[:stages])


@cache
def rk4() -> StepMethod:
    """Return the classical method of order 4."""
    return _of_pair("rk4", rk43())


@cache
def dormand_prince_8() -> StepMethod:
    """Return Dormand and Prince's method of order 8."""
    return _of_pair("rk8", rk8())


METHODS: dict[str, Callable[[], StepMethod]] = {"rk4": rk4, "rk8": dormand_prince_8}
