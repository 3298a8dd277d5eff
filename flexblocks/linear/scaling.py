"""State scaling: positions and rates of stiff modes differ by orders of magnitude."""

from __future__ import annotations

import numpy as np

from flexblocks.libraries import scipy

# Couplings below this share of the largest are rounding.
ROUNDING = 1e-14


def state_scales(A: np.ndarray) -> np.ndarray:
    """Return scales T (nx,) of the states, x = T x~, that balance the norms of rows and columns of A.

    Rounding is ignored: a row of nothing else would be scaled up to the size of the rest. The ones by which rates are
    derivatives of coordinates are none, however large the stiffness of a tiny arm is beside them [1/s2].
    """
    if not A.size:
        return np.ones(len(A))
    counted = np.where((np.abs(A) > ROUNDING * np.max(np.abs(A))) | (A == 1.0), A, 0.0)
    _, (scale, _) = scipy.linalg.matrix_balance(counted, permute=False, separate=True)
    return scale
