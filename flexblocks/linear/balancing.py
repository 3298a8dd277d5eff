"""Balanced realisation of a stable linear system."""

from __future__ import annotations

import numpy as np

from flexblocks.libraries import scipy
from flexblocks.linear.scaling import state_scales


def balance(A: np.ndarray, B: np.ndarray, C: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return Hankel singular values (k,), and right (n, k) and left (k, n) bases of balanced coordinates.

    Coordinates are in descending order of their values, the best controlled and observed first; ``left @ right`` is the
    identity. Square-root method: with P = L L' and Q = R R', the singular values of R' L are the Hankel singular values
    (Laub et al., IEEE Trans. Automatic Control 32, 1987, 115-122). Coordinates whose value is rounding are left out.

    Parameters
    ----------
    A, B, C : ndarray
        All eigenvalues of A have negative real parts.
    """
    scale = state_scales(A)
    A, B, C = A / scale[:, None] * scale, B / scale[:, None], C * scale
    L = _root(scipy.linalg.solve_continuous_lyapunov(A, -B @ B.T))
    R = _root(scipy.linalg.solve_continuous_lyapunov(A.T, -C.T @ C))
    left, values, right = np.linalg.svd(R.T @ L)
    kept = values > len(A) * np.finfo(float).eps * np.max(values, initial=0.0)
    values, left, right = values[kept], left[:, kept], right[kept]
    weight = np.sqrt(values)
    return values, scale[:, None] * (L @ right.T / weight), (R @ left / weight).T / scale


def _root(gramian: np.ndarray) -> np.ndarray:
    values, vectors = np.linalg.eigh((gramian + gramian.T) / 2)
    return vectors * np.sqrt(np.maximum(values, 0.0))
