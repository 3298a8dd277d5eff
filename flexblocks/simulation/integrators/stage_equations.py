"""Linear equations of Newton's iteration on the stages of a collocation method, by the structure of mechanics."""

from __future__ import annotations

import numpy as np


def stage_inverses(jacobian: np.ndarray, coordinates: int, poles: np.ndarray) -> np.ndarray:
    """Return (pole I - J)^-1 for each pole, (k, N, N), of the states [q, v, w] and the work.

    With der(q) = v, the rates are eliminated: (pole^2 I - pole dv'/dv - dv'/dq) dq = ... is of half the size. Nothing
    depends on the work.

    Parameters
    ----------
    jacobian : ndarray (N - n, N - 1)
        Derivatives of der(v), der(w) and the power in q, v and w.
    coordinates : int
        n
    poles : ndarray (k,)
        Complex, [1/s].
    """
    n, size = coordinates, jacobian.shape[1] + 1
    m = size - 1 - n  # v and w
    in_q, in_v, in_w = jacobian[:m, :n], jacobian[:m, n : 2 * n], jacobian[:m, 2 * n :]
    pole = poles[:, None, None]
    first = np.eye(m, n)
    small = np.empty((len(poles), m, m), dtype=complex)
    small[:, :, :n] = pole * (pole * first - in_v) - in_q
    small[:, :, n:] = pole * np.eye(m)[:, n:] - in_w
    inverse = np.linalg.inv(small)
    whole = np.empty((len(poles), size, size), dtype=complex)
    rows = np.r_[0:n, 2 * n : size - 1]  # q and w
    whole[:, rows, :n] = inverse @ (pole * first - in_v)
    whole[:, rows, n:-1] = inverse
    whole[:, n : 2 * n] = pole * whole[:, :n]
    whole[:, np.arange(n, 2 * n), np.arange(n)] -= 1.0
    whole[:, :, -1] = 0.0
    whole[:, -1, :-1] = (jacobian[m] @ whole[:, :-1, :-1]) / poles[:, None]
    whole[:, -1, -1] = 1.0 / poles
    return whole
