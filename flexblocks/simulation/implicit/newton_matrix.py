"""Matrices of Newton's iteration on the residual, and which closures are independent."""

from __future__ import annotations

import numpy as np

from flexblocks.libraries import scipy
from flexblocks.simulation.implicit.settings import DROPPED, TAKEN


class SingularMatrix(Exception):
    """A matrix has no inverse."""


class Factors:
    """LU factors of a real or complex matrix, of which rows are scaled.

    Raises
    ------
    SingularMatrix
    """

    def __init__(self, matrix: np.ndarray) -> None:
        scale = np.max(np.abs(matrix), axis=1)
        if not np.all(np.isfinite(scale)) or np.any(scale == 0):
            raise SingularMatrix
        self._scale = 1 / scale
        factors, self._solve = scipy.linalg.get_lapack_funcs(("getrf", "getrs"), (matrix,))
        self._lu, self._pivots, status = factors(matrix * self._scale[:, None])
        if status or np.min(np.abs(np.diag(self._lu))) < 1e-15:
            raise SingularMatrix

    def solve(self, right: np.ndarray) -> np.ndarray:
        """Return the solution of a right-hand side."""
        return self._solve(self._lu, self._pivots, right * self._scale)[0]


def chosen_closures(J: np.ndarray, active: np.ndarray) -> np.ndarray:
    """Return which closures count, by a Gram-Schmidt process with pivots.

    One that counts is dropped where hardly anything of it is left by the others, one that does not is taken where much
    is left: with hysteresis.

    Parameters
    ----------
    J : ndarray (m, n)
        Slopes of the closures, as lengths by displacements.
    active : ndarray (m,) of bool
        Those that count so far.
    """
    rows, chosen = J.copy(), np.zeros(len(J), dtype=bool)
    most = np.max(np.linalg.norm(rows, axis=1), initial=0.0)
    for candidates, share in ((active.copy(), DROPPED), (~active, TAKEN)):
        while candidates.any():
            left = np.where(candidates, np.linalg.norm(rows, axis=1), -1.0)
            best = int(np.argmax(left))
            candidates[best] = False
            if left[best] > most * share:
                chosen[best] = True
                direction = rows[best] / left[best]
                rows[~chosen] -= np.outer(rows[~chosen] @ direction, direction)
    return chosen


def newton_matrix(
    of_rates: np.ndarray, in_multipliers: np.ndarray, in_algebraic: np.ndarray, level: np.ndarray, active: np.ndarray
) -> np.ndarray:
    """Return the matrix of the unknowns (rates, multipliers, z).

    Parameters
    ----------
    of_rates : ndarray (rows, n + nw)
        Columns of the rates, with all they move.
    in_multipliers, in_algebraic : ndarray (rows, m), (rows, nz)
        See `flexblocks.simulation.implicit.differences.Differences`.
    level : ndarray (rows,) of bool
        Rows of closures and of prescribed coordinates.
    active : ndarray (m,) of bool
        Closures that count; the multipliers of the others are zero.
    """
    N = of_rates.shape[1]
    multipliers = np.where(level[:, None] | ~active, 0.0, in_multipliers)
    matrix = np.hstack([of_rates, multipliers, in_algebraic])
    dropped = N + np.flatnonzero(~active)
    matrix[dropped] = 0.0
    matrix[dropped, dropped] = 1.0
    return matrix


def columns_of_rates(
    K: np.ndarray, D: np.ndarray, M: np.ndarray, level: np.ndarray, k1: complex, k2: complex
) -> np.ndarray:
    """Return the columns (rows, n + nw) of rates for dv = k1 da, dq = k2 da.

    Parameters
    ----------
    K, D, M : ndarray (rows, n + nw)
        Derivatives in coordinates, in what rates are the derivatives of, and in rates.
    level : ndarray (rows,) of bool
        Rows that are divided by k1: of closures and of prescribed coordinates.
    k1, k2 : float or complex
    """
    return np.where(level[:, None], D + k2 / k1 * K, M + k1 * D + k2 * K)
