"""Radau IIA of three stages for second-order equations, in the accelerations at the stages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from flexblocks.simulation.integrators.radau_coefficients import radau

STAGES = 3


@dataclass(frozen=True, eq=False)
class RadauThree:
    """Coefficients: the eigenvalues of the Runge-Kutta matrix A are one real pole and a pair.

    Attributes
    ----------
    A, twice : ndarray (3, 3)
        A, which integrates accelerations to rates, and A^2, which integrates them to coordinates.
    c, start : ndarray (3,)
        Places of the stages; values at these -> that of their polynomial at the start.
    real : float
    into_real, out_of_real : ndarray (3,)
        Values at the stages -> their component along the real eigenvector, and back.
    pair : complex
    into_pair, out_of_pair : ndarray (3,) of complex
        Likewise; twice the real part goes back.
    """

    A: np.ndarray
    twice: np.ndarray
    c: np.ndarray
    start: np.ndarray
    real: float
    into_real: np.ndarray
    out_of_real: np.ndarray
    pair: complex
    into_pair: np.ndarray
    out_of_pair: np.ndarray


@cache
def radau_three() -> RadauThree:
    """Return the coefficients."""
    of = radau(STAGES)
    # Those of the library are of A's inverse, with the same eigenvectors; the pair's way back is doubled there.
    real, pair = 1 / of.poles[0].real, 1 / of.poles[1]
    turn = np.abs(of.out_of[:, 0]).argmax()
    phase = of.out_of[turn, 0] / abs(of.out_of[turn, 0])
    into_real, out_of_real = (of.into[0] * phase).real, (of.out_of[:, 0] / phase).real
    return RadauThree(
        of.A, of.A @ of.A, of.c, of.start, real, into_real, out_of_real, pair, of.into[1], of.out_of[:, 1] / 2
    )


def radau_numbers() -> np.ndarray:
    """Return the coefficients in the order in which the kernel takes them."""
    r = radau_three()
    real = [r.A, r.twice, r.c, r.start, [r.real], r.into_real, r.out_of_real]
    pairs = [np.array([r.pair]), r.into_pair, r.out_of_pair]
    return np.concatenate([*map(np.ravel, real), *(np.ascontiguousarray(part).view(float) for part in pairs)])
