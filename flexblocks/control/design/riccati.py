"""Riccati equations: gains of the linear-quadratic regulator and of the Kalman filter, continuous and sampled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexblocks.control.design.algebraic_riccati import continuous_solution, discrete_solution
from flexblocks.control.design.hautus_test import refuse_undetectable, refuse_unstabilizable
from flexblocks.control.design.zero_order_hold import sampled_noise_covariance
from flexblocks.errors import ComputationError
from flexblocks.libraries import scipy
from flexblocks.linear.scaling import state_scales


def regulator_gain(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray, states: Sequence[str]) -> np.ndarray:
    """Return the regulator gain K (nu, nx): u = -K x minimises the integral of x'Q x + u'R u.

    Raises
    ------
    ComputationError
        A mode that does not decay is not reached by the inputs, or not weighted.
    """
    K = np.linalg.solve(R, B.T @ cost_to_go(A, B, Q, R, states))
    _refuse_unstable(float(np.max(np.linalg.eigvals(A - B @ K).real)), "LQR")
    return K


def cost_to_go(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray, states: Sequence[str]) -> np.ndarray:
    """Return the cost-to-go matrix P (nx, nx): x'P x is the least integral of x'Q x + u'R u starting from x.

    Raises
    ------
    ComputationError
        As for `regulator_gain`.
    """
    refuse_unstabilizable(A, B, Q, states)
    T = state_scales(A)
    return _stabilizing_solution(A / T[:, None] * T, B / T[:, None], T[:, None] * Q * T, R, "LQR") / T / T[:, None]


def sampled_regulator_gain(
    A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray, sample_time: float, states: Sequence[str]
) -> np.ndarray:
    """Return the gain K (nu, nx) of the sampled regulator: inputs held over `sample_time` [s], the same integral.

    Raises
    ------
    ComputationError
        As for `regulator_gain`.

    Notes
    -----
    Van Loan, IEEE Trans. Automatic Control 23 (1978) 395-404: the cost between samples by one matrix exponential.
    """
    refuse_unstabilizable(A, B, Q, states)
    # The sampled system and the cost between samples, both from one exponential, in scaled states x / T.
    T = state_scales(A)
    nx, nu = B.shape
    k = nx + nu
    F = np.block([[A / T[:, None] * T, B / T[:, None]], [np.zeros((nu, k))]])
    W = scipy.linalg.block_diag(T[:, None] * Q * T, R)
    exponential = scipy.linalg.expm(np.block([[-F.T, W], [np.zeros((k, k)), F]]) * sample_time)
    Phi = exponential[k:, k:]
    cost = Phi.T @ exponential[:k, k:]
    # The discrete Riccati equation, with the cross term Nd that inputs held over a sample bring in.
    Ad, Bd, Qd, Rd, Nd = Phi[:nx, :nx], Phi[:nx, nx:], cost[:nx, :nx], cost[nx:, nx:], cost[:nx, nx:]
    with _RiccatiErrors("LQR"):
        P = discrete_solution(Ad, Bd, (Qd + Qd.T) / 2, (Rd + Rd.T) / 2, Nd)
    K = np.linalg.solve(Rd + Bd.T @ P @ Bd, Bd.T @ P @ Ad + Nd.T)
    _refuse_unstable(float(np.max(np.abs(np.linalg.eigvals(Ad - Bd @ K)))) - 1, "LQR")
    return K / T


def error_covariance(
    A: np.ndarray, C: np.ndarray, process: np.ndarray, noise: np.ndarray, states: Sequence[str]
) -> np.ndarray:
    """Return the stationary error covariance (nx, nx) of the Kalman filter, for spectral densities of the noises.

    Raises
    ------
    ComputationError
        A mode that does not decay is not seen in the measurements, or not driven by the process noise.
    """
    refuse_undetectable(A, C, process, states)
    T = state_scales(A)
    P = _stabilizing_solution((A / T[:, None] * T).T, (C * T).T, process / T[:, None] / T, noise, "Kalman")
    return T[:, None] * P * T


def kalman_gain(
    A: np.ndarray, C: np.ndarray, process: np.ndarray, noise: np.ndarray, states: Sequence[str]
) -> np.ndarray:
    """Return the gain L (nx, ny) of the Kalman filter x^' = A x^ + L (y - C x^), for spectral densities of the noises.

    Raises
    ------
    ComputationError
        As for `error_covariance`.
    """
    L = error_covariance(A, C, process, noise, states) @ C.T @ np.linalg.inv(noise)
    _refuse_unstable(float(np.max(np.linalg.eigvals(A - L @ C).real)), "Kalman")
    return L


def sampled_kalman_gain(
    A: np.ndarray,
    C: np.ndarray,
    process: np.ndarray,
    noise: np.ndarray,
    sample_time: float,
    states: Sequence[str],
    transition: np.ndarray | None = None,
) -> np.ndarray:
    """Return the gain L (nx, ny) of the sampled filter x^[k+1] = Ad x^[k] + L (y[k] - C x^[k]), for the same densities.

    By default Ad is exp(A sample_time), else the matrix `transition` of the filter's own steps.

    Raises
    ------
    ComputationError
        As for `error_covariance`.
    """
    refuse_undetectable(A, C, process, states)
    Ad = scipy.linalg.expm(A * sample_time) if transition is None else transition
    T = state_scales(A)
    W = sampled_noise_covariance(A / T[:, None] * T, process / T[:, None] / T, sample_time) * T[:, None] * T
    P = predicted_covariance(Ad, C, W, noise / sample_time, T)
    L = np.linalg.solve(noise / sample_time + C @ P @ C.T, C @ P @ Ad.T).T
    _refuse_unstable(float(np.max(np.abs(np.linalg.eigvals(Ad - L @ C)))) - 1, "Kalman")
    return L


def predicted_covariance(
    Ad: np.ndarray, C: np.ndarray, process: np.ndarray, noise: np.ndarray, scales: np.ndarray
) -> np.ndarray:
    """Return the stationary covariance (nx, nx) of the error of a sampled filter's predictions.

    Parameters
    ----------
    Ad, C : ndarray (nx, nx), (ny, nx)
    process, noise : ndarray (nx, nx), (ny, ny)
        Covariances of what is added to the state from sample to sample, and to a measurement.
    scales : ndarray (nx,)
        Of the states, in which they are of one magnitude.

    Raises
    ------
    ComputationError
        The Riccati equation has no stabilising solution.
    """
    T = scales
    with _RiccatiErrors("Kalman"):
        scaled = process / T[:, None] / T
        P = discrete_solution((Ad / T[:, None] * T).T, (C * T).T, scaled, noise, np.zeros(C.T.shape))
        return T[:, None] * P * T
    raise AssertionError  # unreachable, for type checkers: the context raises the solver's error as another


def _stabilizing_solution(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray, where: str) -> np.ndarray:
    """Return the stabilising solution P (n, n) of the continuous algebraic Riccati equation.

    In units of cost and time in which its terms are of one magnitude, and with inputs that weigh one: SciPy's solver
    balances states alone, and fails for arms of a tenth of a millimetre, which are as fast as they are small.
    """
    weighed = np.linalg.solve(np.linalg.cholesky(R), B.T).T
    rate, cost = np.linalg.norm(A, 2), np.sqrt(np.linalg.norm(Q, 2)) / np.linalg.norm(weighed, 2)
    if not (0 < rate < np.inf and 0 < cost < np.inf):
        rate, cost = 1.0, 1.0
    with _RiccatiErrors(where):
        driven = weighed * np.sqrt(cost / rate)
        return cost * continuous_solution(A / rate, driven, Q / (cost * rate), np.eye(B.shape[1]))
    raise AssertionError  # unreachable, for type checkers: the context raises the solver's error as another


class _RiccatiErrors:
    """Context that turns an error of the solvers into a ComputationError."""

    def __init__(self, where: str) -> None:
        self.where = where

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, (np.linalg.LinAlgError, ValueError)):
            raise ComputationError(
                f"{self.where}: the Riccati equation could not be solved: {error}. Choose weights, or noise densities, "
                "of less different magnitude."
            ) from None


def _refuse_unstable(excess: float, where: str) -> None:
    """Refuse a gain that leaves a pole on the wrong side, by `excess` >= 0: the Riccati solver lost all digits."""
    if not excess < 0:
        raise ComputationError(
            f"{where}: the computed gain does not stabilise the linear model (by {excess:.3g}): the problem is too "
            "badly scaled for the Riccati equation. Weight all modes, or choose weights of less different magnitude."
        )
