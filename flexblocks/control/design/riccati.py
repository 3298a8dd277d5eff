"""Gains of regulators and estimators by Riccati's equation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import scipy.linalg

from flexblocks.control.design.zero_order_hold import sampled_noise
from flexblocks.errors import ComputationError, listing
from flexblocks.linear.scaling import state_scales

# Real parts above this share of the fastest eigenvalue do not decay; those below its magnitude stand on the axis.
DECAYS = -1e-9
# A matrix [A - s; C] whose smallest singular value is below this share of the largest has lost rank.
RANK = 1e-10
# Eigenvalues below this share of the fastest are 0.
NEAR_ZERO = 1e-7


def regulator(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray, states: Sequence[str]) -> np.ndarray:
    """Return K (nu, nx) with u = -K x least in the integral of x'Q x + u'R u.

    Raises
    ------
    ComputationError
        A motion that does not decay is not reached by the inputs, or not weighted.
    """
    K = np.linalg.solve(R, B.T @ cost_to_go(A, B, Q, R, states))
    _refuse_unstable(float(np.max(np.linalg.eigvals(A - B @ K).real)), "LQR")
    return K


def cost_to_go(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray, states: Sequence[str]) -> np.ndarray:
    """Return P (nx, nx): x'P x is the least integral of x'Q x + u'R u from x on.

    Raises
    ------
    ComputationError
        As for `regulator`.
    """
    _refuse_unfit(A, B, Q, states)
    T = state_scales(A)
    return _stationary(A / T[:, None] * T, B / T[:, None], T[:, None] * Q * T, R, "LQR") / T / T[:, None]


def sampled_regulator(
    A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray, sample_time: float, states: Sequence[str]
) -> np.ndarray:
    """Return K (nu, nx) of the regulator with inputs held over `sample_time` [s], least in the same integral.

    Raises
    ------
    ComputationError
        As for `regulator`.

    Notes
    -----
    Van Loan, IEEE Trans. Automatic Control 23 (1978) 395-404: the cost between samples by one matrix exponential.
    """
    _refuse_unfit(A, B, Q, states)
    T = state_scales(A)
    nx, nu = B.shape
    k = nx + nu
    F = np.block([[A / T[:, None] * T, B / T[:, None]], [np.zeros((nu, k))]])
    W = scipy.linalg.block_diag(T[:, None] * Q * T, R)
    exponential = scipy.linalg.expm(np.block([[-F.T, W], [np.zeros((k, k)), F]]) * sample_time)
    Phi = exponential[k:, k:]
    cost = Phi.T @ exponential[:k, k:]
    Ad, Bd, Qd, Rd, Nd = Phi[:nx, :nx], Phi[:nx, nx:], cost[:nx, :nx], cost[nx:, nx:], cost[:nx, nx:]
    with _Explained("LQR"):
        P = scipy.linalg.solve_discrete_are(Ad, Bd, (Qd + Qd.T) / 2, (Rd + Rd.T) / 2, s=Nd)
    K = np.linalg.solve(Rd + Bd.T @ P @ Bd, Bd.T @ P @ Ad + Nd.T)
    _refuse_unstable(float(np.max(np.abs(np.linalg.eigvals(Ad - Bd @ K)))) - 1, "LQR")
    return K / T


def covariance(
    A: np.ndarray, C: np.ndarray, process: np.ndarray, noise: np.ndarray, states: Sequence[str]
) -> np.ndarray:
    """Return the covariance (nx, nx) of the error of the Kalman filter, for spectral densities of the noises.

    Raises
    ------
    ComputationError
        A motion that does not decay is not seen in what is measured, or no process noise drives it.
    """
    _refuse_unseen(A, C, process, states)
    T = state_scales(A)
    P = _stationary((A / T[:, None] * T).T, (C * T).T, process / T[:, None] / T, noise, "Kalman")
    return T[:, None] * P * T


def estimator(
    A: np.ndarray, C: np.ndarray, process: np.ndarray, noise: np.ndarray, states: Sequence[str]
) -> np.ndarray:
    """Return L (nx, ny) of the Kalman filter x^' = A x^ + L (y - C x^), for spectral densities of the noises.

    Raises
    ------
    ComputationError
        As for `covariance`.
    """
    L = covariance(A, C, process, noise, states) @ C.T @ np.linalg.inv(noise)
    _refuse_unstable(float(np.max(np.linalg.eigvals(A - L @ C).real)), "Kalman")
    return L


def sampled_estimator(
    A: np.ndarray, C: np.ndarray, process: np.ndarray, noise: np.ndarray, sample_time: float, states: Sequence[str]
) -> np.ndarray:
    """Return L (nx, ny) of the filter x^[k+1] = Ad x^[k] + L (y[k] - C x^[k]), for the same densities.

    Raises
    ------
    ComputationError
        As for `covariance`.
    """
    _refuse_unseen(A, C, process, states)
    T = state_scales(A)
    A, C, process = A / T[:, None] * T, C * T, process / T[:, None] / T
    Ad, W, R = scipy.linalg.expm(A * sample_time), sampled_noise(A, process, sample_time), noise / sample_time
    with _Explained("Kalman"):
        P = scipy.linalg.solve_discrete_are(Ad.T, C.T, W, R)
    L = np.linalg.solve(R + C @ P @ C.T, C @ P @ Ad.T).T
    _refuse_unstable(float(np.max(np.abs(np.linalg.eigvals(Ad - L @ C)))) - 1, "Kalman")
    return T[:, None] * L


def _stationary(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray, where: str) -> np.ndarray:
    with _Explained(where):
        return scipy.linalg.solve_continuous_are(A, B, Q, R)
    raise AssertionError  # what is raised above leaves with its explanation


class _Explained:
    """Turns what a solver raises into a ComputationError."""

    def __init__(self, where: str) -> None:
        self.where = where

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, (np.linalg.LinAlgError, ValueError)):
            raise ComputationError(f"{self.where}: Riccati's equation could not be solved: {error}") from None


def _fastest(A: np.ndarray) -> float:
    return max(float(np.max(np.abs(np.linalg.eigvals(A)), initial=0.0)), 1.0)


def _lasts(A: np.ndarray) -> Callable[[complex], bool]:
    """Return the test for eigenvalues of motions that do not decay."""
    return lambda s: s.real >= DECAYS * _fastest(A)


def _stands(A: np.ndarray) -> Callable[[complex], bool]:
    """Return the test for eigenvalues of motions that neither decay nor grow."""
    return lambda s: abs(s.real) <= -DECAYS * _fastest(A)


def _refuse_unfit(A: np.ndarray, B: np.ndarray, Q: np.ndarray, states: Sequence[str]) -> None:
    _refuse_hidden(A.T, B.T, states, "LQR: no input acts on", _lasts(A))
    _refuse_hidden(A, Q, states, "LQR: Q does not weight", _stands(A))


def _refuse_unseen(A: np.ndarray, C: np.ndarray, process: np.ndarray, states: Sequence[str]) -> None:
    _refuse_hidden(A, C, states, "Kalman: nothing measured shows", _lasts(A))
    _refuse_hidden(A.T, process, states, "Kalman: no process noise drives", _stands(A))


def _refuse_hidden(
    A: np.ndarray, C: np.ndarray, states: Sequence[str], what: str, counts: Callable[[complex], bool]
) -> None:
    """Refuse modes that count and that C does not show (of transposes: that B does not reach), by Hautus' test."""
    T = state_scales(A)
    A, C = A / T[:, None] * T, C * T
    size = np.linalg.norm(C)
    C = C * (np.linalg.norm(A) / size if size else 0.0)
    values = np.linalg.eigvals(A)
    # A defective 0, as of a free joint, comes out as a pair of size sqrt(eps).
    values[np.abs(values) <= NEAR_ZERO * _fastest(A)] = 0.0
    for s in values:
        if s.imag < 0 or not counts(s):
            continue
        _, sizes, directions = np.linalg.svd(np.vstack([A - s * np.eye(len(A)), C]))
        if sizes[-1] > RANK * sizes[0]:
            continue
        shape = np.abs(directions[-1])
        names = [states[int(i)] for i in np.argsort(-shape) if shape[i] > 0.1 * shape.max()]
        raise ComputationError(
            f"{what} the motion at {s:.4g} 1/s, in which {listing(names, 4)} take part, and it does not decay by "
            "itself."
        )


def _refuse_unstable(excess: float, where: str) -> None:
    if not excess < 0:
        raise ComputationError(
            f"{where}: the gain that was found does not stabilise the linear model (by {excess:.3g}): the problem is "
            "too badly scaled for Riccati's equation. Weight all motions, or choose weights of less different size."
        )
