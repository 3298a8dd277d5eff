"""Derivatives of the residual by differences: Newton matrices need no more digits, and no derivation of large arms."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

# Difference of a variable, as a share of its size; rates enter linearly, so that theirs may be large.
ROOT, OF_RATES = 1.5e-8, 1e-3
# Least size of first-order states, whose size is that of the run so far.
LEAST = 1e-3


@dataclass(frozen=True, eq=False)
class Derivatives:
    """Derivatives of the residual R (rows,) at a point.

    Attributes
    ----------
    R : ndarray (rows,)
    K, D, M, Z : ndarray (rows, n), (rows, n + nw), (rows, n + nw), (rows, nz)
        See `flexblocks.dae.functions.DAEFunctions.residual_jacobians`.
    """

    R: np.ndarray
    K: np.ndarray
    D: np.ndarray
    M: np.ndarray
    Z: np.ndarray


def derivatives(residual: ca.Function, point: list[np.ndarray], n: int, unit: np.ndarray) -> Derivatives:
    """Return the derivatives of a residual.

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
    """
    x, rates, multipliers, z, *others = point
    N = len(rates)
    of_x = ROOT * np.maximum(np.abs(x), np.concatenate([unit[:n], unit]))
    of_rates = np.maximum(OF_RATES * np.abs(rates), unit)
    of_z = ROOT * np.maximum(np.abs(z), 1.0)
    size, count = len(x), len(x) + N + len(z)
    X, A, W = np.tile(x[:, None], count + 1), np.tile(rates[:, None], count + 1), np.tile(z[:, None], count + 1)
    X[np.arange(size), 1 + np.arange(size)] += of_x
    A[np.arange(N), 1 + size + np.arange(N)] += of_rates
    W[np.arange(len(z)), 1 + size + N + np.arange(len(z))] += of_z
    values = np.array(residual(X, A, multipliers, W, *others)).reshape(-1, count + 1)
    slopes = (values[:, 1:] - values[:, :1]) / np.concatenate([of_x, of_rates, of_z])
    return Derivatives(
        values[:, 0], slopes[:, :n], slopes[:, n:size], slopes[:, size : size + N], slopes[:, size + N :]
    )
