"""Zero-order hold: continuous-time equations discretised with inputs held over a sample."""

from __future__ import annotations

import numpy as np

from flexblocks.libraries import scipy


def sampled_matrices(A: np.ndarray, B: np.ndarray, sample_time: float) -> tuple[np.ndarray, np.ndarray]:
    """Return Ad (nx, nx), Bd (nx, nu) of x[k+1] = Ad x[k] + Bd u[k], exact for x' = A x + B u with u held.

    The exponential of [[A, B], [0, 0]] `sample_time` holds both.
    """
    nx, nu = B.shape
    F = scipy.linalg.expm(np.block([[A, B], [np.zeros((nu, nx + nu))]]) * sample_time)
    return F[:nx, :nx], F[:nx, nx:]


def sampled_noise_covariance(A: np.ndarray, process: np.ndarray, sample_time: float) -> np.ndarray:
    """Return the covariance (nx, nx) of white noise of spectral density `process` accumulated over `sample_time` [s].

    Van Loan, IEEE Trans. Automatic Control 23 (1978) 395-404.
    """
    nx = len(A)
    F = scipy.linalg.expm(np.block([[-A, process], [np.zeros((nx, nx)), A.T]]) * sample_time)
    covariance = F[nx:, nx:].T @ F[:nx, nx:]
    return (covariance + covariance.T) / 2
