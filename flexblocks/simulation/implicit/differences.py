"""Derivatives of the residual by differences: Newton matrices need no more digits, and no derivation of large arms."""

from __future__ import annotations

import casadi as ca
import numpy as np

# Difference of a variable, as a share of its size; rates enter linearly, so that theirs may be large.
ROOT, OF_RATES = 1.5e-8, 1e-3
# Least size of first-order states, whose size is that of the run so far.
LEAST = 1e-3


class Differences:
    """Derivatives of the residual R (rows,) at a point.

    Parameters
    ----------
    residual : casadi.Function
        See `flexblocks.dae.functions.DAEFunctions.residual`.
    point : list of ndarray
        Its arguments.
    n : int
        Coordinates.
    unit : ndarray (n + nw,)
        Sizes of coordinates and first-order states that count as one.

    Attributes
    ----------
    R : ndarray (rows,)
    evaluations : int
        Of the residual, so far.
    """

    def __init__(self, residual: ca.Function, point: list[np.ndarray], n: int, unit: np.ndarray) -> None:
        self._residual, self._point, self._n, self._unit = residual, point, n, unit
        self.R, self.evaluations = np.array(residual(*point)).ravel(), 1

    def along(self, of_q: float, of_v: float, of_a: float) -> np.ndarray:
        """Return the derivatives (rows, n + nw) where each rate, in turn, changes by `of_a`, with all it moves.

        What a rate is the derivative of changes by `of_v`, and its coordinate by `of_q`; first-order states have none.
        """
        x, rates, n, unit = self._point[0], self._point[1], self._n, self._unit
        N = len(rates)
        d = np.full(N, np.inf)
        if of_q:
            d[:n] = ROOT * np.maximum(np.abs(x[:n]), unit[:n]) / of_q
        if of_v:
            d = np.minimum(d, ROOT * np.maximum(np.abs(x[n:]), unit) / of_v)
        if not (of_q or of_v):
            d = np.maximum(OF_RATES * np.abs(rates), unit)
        moving = np.isfinite(d)
        columns = np.zeros((len(self.R), N))
        d, which = d[moving], np.flatnonzero(moving)
        X, A, each = np.tile(x[:, None], len(d)), np.tile(rates[:, None], len(d)), np.arange(len(d))
        has_coordinate = which < n
        X[which[has_coordinate], each[has_coordinate]] += of_q * d[has_coordinate]
        X[n + which, each] += of_v * d
        A[which, each] += of_a * d
        if len(d):
            columns[:, moving] = self._slopes([X, A, *self._point[2:]], d)
        return columns

    def in_multipliers(self) -> np.ndarray:
        """Return the derivatives (rows, m) in the multipliers, which enter linearly."""
        multipliers = self._point[2]
        largest = np.max(np.abs(multipliers), initial=0.0)
        return self._in_argument(2, np.full(len(multipliers), largest if largest > 0 else 1.0))

    def in_algebraic(self) -> np.ndarray:
        """Return the derivatives (rows, nz) in the algebraic variables."""
        return self._in_argument(3, ROOT * np.maximum(np.abs(self._point[3]), 1.0))

    def _in_argument(self, index: int, d: np.ndarray) -> np.ndarray:
        if not len(d):
            return np.zeros((len(self.R), 0))
        point = list(self._point)
        point[index] = np.tile(point[index][:, None], len(d)) + np.diag(d)
        return self._slopes(point, d)

    def _slopes(self, point: list[np.ndarray], d: np.ndarray) -> np.ndarray:
        self.evaluations += len(d)
        return (np.array(self._residual(*point)).reshape(len(self.R), len(d)) - self.R[:, None]) / d
