"""Finite differences by Ridders' method, with an error estimate.

Ridders' method (Advances in Engineering Software 4, 1982, 75-76): central differences with ever smaller steps,
extrapolated to step 0 by polynomials of ever higher degree; of all extrapolations each entry takes the one that differs
least from those it was made of, and that difference is the estimate.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

# Steps down to 1/2048 of the first, below which differences of a smooth function are only rounding.
SHRINK, STEPS = 2.0, 12


def finite_differences(
    function: Callable[[np.ndarray], np.ndarray], start: np.ndarray, steps: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return derivatives (m, n) and estimates of their errors, infinite where the function has no values.

    Parameters
    ----------
    function : callable
        Points (n, count) -> values (m, count).
    start : ndarray (n,)
    steps : ndarray (n,)
        The first and largest of the steps.
    """
    n = len(start)
    sizes = steps[None, :] / SHRINK ** np.arange(STEPS)[:, None]  # (STEPS, n)
    moves = np.concatenate([sign * size * np.eye(n) for size in sizes for sign in (1, -1)], axis=1)
    values = function(start[:, None] + moves)
    m = len(values)
    pairs = values.reshape(m, STEPS, 2, n)
    with np.errstate(invalid="ignore"):
        central = np.moveaxis(pairs[:, :, 0] - pairs[:, :, 1], 1, 0) / (2 * sizes[:, None, :])  # (STEPS, m, n)
        rounding = np.finfo(float).eps * np.nanmax(np.abs(pairs), axis=(1, 2), initial=0.0)
    best, error = np.full((m, n), np.nan), np.full((m, n), np.inf)
    before: list[np.ndarray] = []
    for i in range(STEPS):
        row = [central[i]]
        for j in range(1, i + 1):
            factor = SHRINK ** (2 * j)
            row.append((factor * row[j - 1] - before[j - 1]) / (factor - 1))
            estimate = np.maximum(np.abs(row[j] - row[j - 1]), np.abs(row[j] - before[j - 1]))
            estimate = estimate + 2 * rounding / sizes[i]
            better = estimate < error  # never so where something is nan
            best[better], error[better] = row[j][better], estimate[better]
        before = row
    return best, error
