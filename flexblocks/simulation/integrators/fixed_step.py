"""Methods of fixed steps: explicit Runge-Kutta methods by their coefficients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.dae.explicit_steps import Pair


@dataclass(frozen=True, eq=False)
class FixedStep:
    """Coefficients A (s, s), b (s,) and c (s,) of an explicit Runge-Kutta method of s stages (its Butcher tableau)."""

    A: np.ndarray
    b: np.ndarray
    c: np.ndarray


def of_pair(pair: Pair) -> FixedStep:
    """Return the method of a pair, without its estimate of the error."""
    stages = len(pair.b) - pair.reuses_last
    A = np.ascontiguousarray(pair.A[:stages, :stages], dtype=float)
    return FixedStep(A, np.array(pair.b[:stages], dtype=float), np.array(pair.c[:stages], dtype=float))
