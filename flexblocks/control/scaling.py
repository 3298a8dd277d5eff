"""Scales of states: positions and rates of stiff modes differ by orders of magnitude."""

from __future__ import annotations

import numpy as np
import scipy.linalg

# Couplings below this share of the largest do not count: what should be zero may be rounding.
FLOOR = 1e-9


def balancing(A: np.ndarray) -> np.ndarray:
    """Return scales T (nx,) of the states, x = T x~, that make the rows and columns of A alike."""
    if not A.size:
        return np.ones(len(A))
    sizes = np.abs(A) + FLOOR * np.max(np.abs(A))
    _, (scale, _) = scipy.linalg.matrix_balance(sizes, permute=False, separate=True)
    return scale
