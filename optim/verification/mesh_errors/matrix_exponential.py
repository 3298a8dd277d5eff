"""Matrix exponentials of many matrices of one size at once."""

from __future__ import annotations

import numpy as np

from flexblocks.libraries import scipy

# Coefficients of the diagonal Pade approximant of degree 13, and the 1-norm up to which it is exact to rounding
# (Higham, The scaling and squaring method for the matrix exponential revisited, SIAM J. Matrix Anal. Appl. 26, 2005,
# table 2.3).
PADE = [
    64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600,
    670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1,
]  # fmt: skip
NORM = 5.4
FARTHEST = 2.0**64  # factor of a state in balancing: undriven motions grow without bound


@np.errstate(over="ignore", invalid="ignore")
def matrix_exponentials(A: np.ndarray) -> np.ndarray:
    """Return exp(A_k) of the matrices A (K, n, n), by scaling and squaring after one balancing for all of them.

    What grows beyond all numbers is infinite or no number, without a warning of NumPy.
    """
    most = np.abs(A).max(axis=0)
    if not np.all(np.isfinite(most)):
        return np.full_like(A, np.nan)
    # scipy makes integers of the factors, for permutations that there are none of
    balance = scipy.linalg.matrix_balance(most, permute=False, separate=True)[1][0]
    balance = np.clip(balance, 1 / FARTHEST, FARTHEST)
    A = A * (balance / balance[:, None])
    norm = float(np.abs(A).sum(axis=1).max(initial=0.0))
    if not np.isfinite(norm):
        return np.full_like(A, np.nan)
    squarings = max(0, int(np.ceil(np.log2(norm / NORM)))) if norm > NORM else 0
    A = A / 2.0**squarings
    one = np.eye(A.shape[1])
    A2 = A @ A
    A4 = A2 @ A2
    A6 = A2 @ A4
    b = [float(c) for c in PADE]
    odd = A @ (A6 @ (b[13] * A6 + b[11] * A4 + b[9] * A2) + b[7] * A6 + b[5] * A4 + b[3] * A2 + b[1] * one)
    even = A6 @ (b[12] * A6 + b[10] * A4 + b[8] * A2) + b[6] * A6 + b[4] * A4 + b[2] * A2 + b[0] * one
    E = np.linalg.solve(even - odd, even + odd)
    for _ in range(squarings):
        E = E @ E
    return E * (balance[:, None] / balance)
