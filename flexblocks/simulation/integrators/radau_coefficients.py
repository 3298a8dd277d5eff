"""Coefficients of the Radau IIA methods: collocation at the roots of a difference of Legendre polynomials."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.polynomial import legendre


@dataclass(frozen=True, eq=False)
class Radau:
    """Radau IIA method of s stages, s odd: of order 2 s - 1, L-stable, its last stage at the end of the step.

    Attributes
    ----------
    c : ndarray (s,)
        Places of the stages, as fractions of the step.
    A, inverse : ndarray (s, s)
        Runge-Kutta matrix, and its inverse.
    basis : ndarray (s, s)
        Values at the stages -> coefficients of their polynomial in Legendre polynomials over the step.
    start : ndarray (s,)
        Values at the stages -> value of their polynomial at the start of the step.
    poles : ndarray (k,)
        Eigenvalues of the inverse, the real one first, of conjugate pairs one each: k = (s + 1) / 2.
    into, out_of : ndarray (k, s), (s, k)
        Values at the stages -> their components along these eigenvectors, and back by the real part.
    """

    c: np.ndarray
    A: np.ndarray
    inverse: np.ndarray
    basis: np.ndarray
    start: np.ndarray
    poles: np.ndarray
    into: np.ndarray
    out_of: np.ndarray

    @property
    def stages(self) -> int:
        return len(self.c)

    def extrapolated(self, ratio: float, degree: int) -> np.ndarray:
        """Return the matrix (s, s): slopes at the stages -> at those of a next step `ratio` times as long.

        By the part of their polynomial up to `degree`.
        """
        return legendre.legvander(2 * (1 + ratio * self.c) - 1, degree) @ self.basis[: degree + 1]


@cache
def radau(stages: int) -> Radau:
    """Return the method of this odd number of stages (Hairer & Wanner, Solving ODEs II, IV.5)."""
    # Roots of P_s - P_(s-1) on [-1, 1], of which 1 is one.
    polynomial = np.zeros(stages + 1)
    polynomial[-2:] = -1.0, 1.0
    roots, slope = np.sort(legendre.legroots(polynomial).real), legendre.legder(polynomial)
    for _ in range(3):
        roots -= legendre.legval(roots, polynomial) / legendre.legval(roots, slope)
    roots[-1] = 1.0
    basis = np.linalg.inv(legendre.legvander(roots, stages - 1))
    integrals = (legendre.legint(row, lbnd=-1) / 2 for row in basis.T)
    A = np.column_stack([legendre.legval(roots, integral) for integral in integrals])
    inverse = np.linalg.inv(A)
    poles, vectors = np.linalg.eig(inverse)
    back = np.linalg.inv(vectors)
    kept = [i for i in np.argsort(np.abs(np.imag(poles))) if np.imag(poles[i]) > -1e-9]
    twice = np.array([1.0, *[2.0] * (len(kept) - 1)])  # each stands for its conjugate, too
    start = legendre.legvander(np.array([-1.0]), stages - 1)[0] @ basis
    return Radau((roots + 1) / 2, A, inverse, basis, start, poles[kept], back[kept], vectors[:, kept] * twice)
