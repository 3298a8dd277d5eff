"""Residuals by signal: how large they are, whether they are white, and at which frequency they are worst."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.identification.results.covariance import autocorrelations
from flexblocks.libraries import scipy

LAGS = 20  # of the test for whiteness
CONFIDENCE = 0.01  # share of fits of a true model that a warning about whiteness is given for
SIZE = 1.2  # multiple of the noise as given, above which residuals are said to be larger


@dataclass(frozen=True)
class SignalResidual:
    """Residuals of one measured variable in one record.

    Attributes
    ----------
    record, signal, unit : str
    count : int
        Of measurements.
    rms : float
        Of measured less predicted [unit].
    ratio : float
        Of their root mean square to what the noise leads one to expect: 1 for a true model and noise.
    whiteness : float
        Probability that white noise looks less white (test of Ljung and Box): small where residuals are coloured.
    frequency : float
        At which they have the greatest power [Hz].
    share : float
        Percentage of the measured motion that is predicted: 100 (1 - |e| / |y - mean(y)|).
    """

    record: str
    signal: str
    unit: str
    count: int
    rms: float
    ratio: float
    whiteness: float
    frequency: float
    share: float


def signal_residual(
    record: str,
    signal: str,
    unit: str,
    t: np.ndarray,
    measured: np.ndarray,
    innovation: np.ndarray,
    whitened: np.ndarray,
) -> SignalResidual:
    """Return the figures of one signal: measured (n,), nan in gaps, innovation (n,) and whitened residuals (n,)."""
    there = np.isfinite(innovation)
    count = int(there.sum())
    r, e, y = whitened[there], innovation[there], measured[there]
    if not count:
        return SignalResidual(record, signal, unit, 0, np.nan, np.nan, np.nan, np.nan, np.nan)
    spread = float(np.linalg.norm(y - y.mean()))
    share = 100 * (1 - float(np.linalg.norm(e)) / spread) if spread > 0 else np.nan
    rms, ratio = float(np.sqrt(np.mean(e**2))), float(np.sqrt(np.mean(r**2)))
    rate = 1 / float(np.median(np.diff(t)))
    return SignalResidual(record, signal, unit, count, rms, ratio, whiteness(r), _worst(r, rate), share)


def whiteness(residuals: np.ndarray) -> float:
    """Return the probability of the test of Ljung and Box, of residuals (n,) one after the other."""
    n = len(residuals)
    lags = min(LAGS, n // 5)
    if lags < 1:
        return np.nan
    rho = autocorrelations([residuals], lags)[1:]
    statistic = n * (n + 2) * float(np.sum(rho**2 / (n - np.arange(1, lags + 1))))
    return float(scipy.stats.chi2.sf(statistic, lags))


def _worst(residuals: np.ndarray, rate: float) -> float:
    if len(residuals) < 8:
        return np.nan
    frequencies, power = scipy.signal.welch(residuals, rate, nperseg=min(len(residuals), max(64, len(residuals) // 4)))
    return float(frequencies[1:][np.argmax(power[1:])])
