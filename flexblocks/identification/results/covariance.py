"""Covariance of estimates, with residuals as they are: of another size than expected, and coloured.

For residuals r with derivatives J, whose autocovariances are G[l] at lag l, estimates vary by

    C = D M D,    D = (sum J[k]' J[k])^-1,    M = sum over k and l of J[k]' G[l] J[k + l]

(Morelli & Klein, Accuracy of aerodynamic model parameters estimated from flight test data, J. Guidance, Control, and
Dynamics 20, 1997). White residuals of unit variance make C = D, the bound of Cramer and Rao. How many lags count is
chosen by their correlograms (Politis, Adaptive bandwidth choice, J. Nonparametric Statistics 15, 2003), so that
white residuals are taken as white. Correlation that would make intervals narrower is left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

RELATIVE_ZERO = 1e-13  # of the greatest eigenvalue of the information, scaled to a unit diagonal


def inverse(information: np.ndarray) -> np.ndarray:
    """Return the covariance (k, k) of an information; infinite variances where it is zero."""
    sizes = np.sqrt(np.diag(information))
    seen = sizes > 0
    covariance = np.full_like(information, np.nan)
    covariance[np.ix_(~seen, seen)] = covariance[np.ix_(seen, ~seen)] = 0.0
    covariance[np.ix_(~seen, ~seen)] = np.where(np.eye(int(np.sum(~seen))) > 0, np.inf, 0.0)
    if not np.any(seen):
        return covariance
    scales = sizes[seen]
    values, vectors = np.linalg.eigh(information[np.ix_(seen, seen)] / np.outer(scales, scales))
    told = values > RELATIVE_ZERO * values[-1]
    part = (vectors[:, told] / values[told]) @ vectors[:, told].T / np.outer(scales, scales)
    untold = np.flatnonzero(np.any(np.abs(vectors[:, ~told]) > 1e-6, axis=1))
    part[untold, untold] = np.inf
    covariance[np.ix_(seen, seen)] = part
    return covariance


def spread_ratio(
    residuals: Sequence[np.ndarray], known: Sequence[np.ndarray], jacobians: Sequence[np.ndarray], unknowns: int
) -> tuple[np.ndarray, int]:
    """Return the matrix M (k, k) of residuals as they are, and the lag up to which they are correlated.

    Parameters
    ----------
    residuals : sequence of array (n, ny)
        Of each record; 0 in gaps.
    known : sequence of bool array (n, ny)
    jacobians : sequence of array (n, ny, k)
    unknowns : int
        How many unknowns were fitted to the residuals.
    """
    count = sum(int(each.sum()) for each in known)
    freedom = count / max(count - unknowns, 1)
    lag = correlation_length(residuals, known)
    white = _sum(residuals, known, jacobians, 0)
    M = white.copy()
    for step in range(1, 2 * lag + 1):
        part = _sum(residuals, known, jacobians, step)
        M += min(1.0, 2 - step / lag) * (part + part.T)
    # Of the difference to white residuals, what widens: in the metric of these.
    sizes, vectors = np.linalg.eigh(white)
    kept = sizes > RELATIVE_ZERO * max(sizes[-1], np.finfo(float).tiny)
    to_white = vectors[:, kept] / np.sqrt(sizes[kept])
    more, axes = np.linalg.eigh(to_white.T @ (M - white) @ to_white)
    back = vectors[:, kept] * np.sqrt(sizes[kept])
    wider = back @ (axes * np.maximum(more, 0)) @ axes.T @ back.T
    return freedom * (white + wider), lag


def correlation_length(residuals: Sequence[np.ndarray], known: Sequence[np.ndarray]) -> int:
    """Return the lag after which no signal's correlations stand out of those of white noise."""
    length = 0
    for signal in range(residuals[0].shape[1]):
        count = sum(int(each[:, signal].sum()) for each in known)
        if count < 20:
            continue
        rho = autocorrelations([each[:, signal] for each in residuals], count // 4)
        stands_out = np.abs(rho[1:]) > 2 * np.sqrt(np.log10(count) / count)
        calm = max(5, int(np.ceil(np.sqrt(np.log10(count)))))
        lags = np.flatnonzero(stands_out)
        last = 0
        for each in lags + 1:
            if each - last > calm:
                break
            last = int(each)
        length = max(length, last)
    return length


def autocorrelations(series: Sequence[np.ndarray], lags: int) -> np.ndarray:
    """Return the autocorrelations at lags 0 to `lags` of series (n,) that are 0 in gaps, of several records at once."""
    total = np.zeros(lags + 1)
    for each in series:
        size = 1 << (2 * len(each) - 1).bit_length()
        spectrum = np.abs(np.fft.rfft(each, size)) ** 2
        found = np.fft.irfft(spectrum, size)[: min(lags + 1, len(each))]
        total[: len(found)] += found
    return total / total[0] if total[0] > 0 else np.eye(1, lags + 1)[0]


def _sum(
    residuals: Sequence[np.ndarray], known: Sequence[np.ndarray], jacobians: Sequence[np.ndarray], lag: int
) -> np.ndarray:
    """Return the sum of J[k]' G J[k + lag] with the residuals' covariance G at this lag."""
    products, counts = 0.0, 0.0
    for r, there in zip(residuals, known, strict=True):
        n = max(len(r) - lag, 0)
        products = products + r[:n].T @ r[lag : lag + n]
        counts = counts + there[:n].T.astype(float) @ there[lag : lag + n]
    G = products / np.maximum(counts, 1)
    total = np.zeros((jacobians[0].shape[2],) * 2)
    for J in jacobians:
        n = max(len(J) - lag, 0)
        later = np.einsum("ij,kja->kia", G, J[lag : lag + n])
        total += np.tensordot(J[:n], later, axes=([0, 1], [0, 1]))
    return total
