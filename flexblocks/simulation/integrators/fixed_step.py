"""Methods of fixed steps: explicit Runge-Kutta methods, the semi-implicit Euler method, generalised alpha."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.dae.explicit_steps import Pair


@dataclass(frozen=True, eq=False)
class FixedStep:
    """Coefficients A (s, s), b (s,) and c (s,) of an explicit Runge-Kutta method of s stages (its Butcher tableau).

    Without stages, the semi-implicit Euler method, which takes its inputs at ``c = [0]``; or generalised alpha, whose
    `spectral_radius` at infinite frequency is given.
    """

    A: np.ndarray
    b: np.ndarray
    c: np.ndarray
    spectral_radius: float | None = None

    @property
    def stages(self) -> int:
        return len(self.b)

    @property
    def key(self) -> tuple[bytes, bytes, float | None]:
        """What distinguishes it from others."""
        return self.A.tobytes(), self.b.tobytes(), self.spectral_radius

    @property
    def evaluations(self) -> int:
        """How often a step evaluates the equations."""
        return len(self.c)


def generalized_alpha(spectral_radius: float) -> FixedStep:
    """Return the method of this spectral radius at infinite frequency."""
    return FixedStep(np.zeros((0, 0)), np.zeros(0), np.zeros(1), spectral_radius)


def of_pair(pair: Pair) -> FixedStep:
    """Return the method of a pair, without its estimate of the error."""
    stages = len(pair.b) - pair.reuses_last
    A = np.ascontiguousarray(pair.A[:stages, :stages], dtype=float)
    return FixedStep(A, np.array(pair.b[:stages], dtype=float), np.array(pair.c[:stages], dtype=float))
