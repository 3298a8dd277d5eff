"""Series of some variables, from which the first guess of a phase takes them in place of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.libraries import scipy

from ..presolve.phase_transcription import PhaseTranscription

# States along the share of a duration, and their first two derivatives in it.
Along = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]
if TYPE_CHECKING:
    Curve = scipy.interpolate.BSpline | scipy.interpolate.CubicHermiteSpline | scipy.interpolate.PchipInterpolator


@dataclass(frozen=True, eq=False)
class GuessedSeries:
    """Values of some states, algebraic variables and inputs over the time of a phase.

    Attributes
    ----------
    duration : float
        Of the phase in the guess [s]; a phase of another duration is stretched to its own.
    series : dict of (ndarray (k,), ndarray (k,))
        Times as shares of the duration, increasing, and values, by name.
    """

    duration: float
    series: Mapping[str, tuple[np.ndarray, np.ndarray]]

    def states(self, own: Along, t: PhaseTranscription) -> Along:
        """Return the states with those of the series in place of the guess's `own`.

        Coordinates with rates are smooth curves through both; those without are quintic splines that begin and end with
        the rates of the phase; first-order states do not overshoot their values.
        """
        names, n = t.dae.x.names, t.dae.tree.size
        places: dict[int, tuple[Curve, Curve, Curve]] = {}
        for i, name in enumerate(names[:n]):
            if name in self.series:
                rate = self.series.get(names[n + i])
                ends = tuple(float(x[n + i]) * t.mesh.duration for x in (t.start.x, t.goal.x))
                places[i] = self._motion(self.series[name], rate, ends)
        for i in range(2 * n, len(names)):
            if names[i] in self.series:
                curve = _monotone(*self.series[names[i]])
                places[i] = curve, curve.derivative(), curve.derivative(2)

        def along(share: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            motion = tuple(part.copy() for part in own(share))
            for i, curves in places.items():
                for part, curve in zip(motion, curves, strict=True):
                    part[..., i] = curve(share)
            return motion  # type: ignore[return-value]  # three parts, as there were

        return along

    def _motion(
        self, series: tuple[np.ndarray, np.ndarray], rates: tuple[np.ndarray, np.ndarray] | None, ends: tuple
    ) -> tuple[Curve, Curve, Curve]:
        """Return a coordinate over the share of the duration with its first two derivatives."""
        if rates is None:
            shares, values = _covering(*series)
            bounds = [[(1, end), (2, 0.0)] for end in ends]
            curve: Curve = scipy.interpolate.make_interp_spline(shares, values, k=5, bc_type=tuple(bounds))
            return curve, curve.derivative(), curve.derivative(2)
        rate = _smooth(rates[0], rates[1] * self.duration)
        curve = scipy.interpolate.CubicHermiteSpline(*series, rate(series[0]))
        return curve, rate, rate.derivative()

    def values(self, names: tuple[str, ...], shares: np.ndarray, own: np.ndarray) -> np.ndarray:
        """Return the values (..., k) of named variables at `shares` (...), `own` ones where the series has none."""
        merged = own.copy()
        for i, name in enumerate(names):
            if name in self.series:
                merged[..., i] = _monotone(*self.series[name])(shares)
        return merged

    def first_order(self, dae: DAE) -> np.ndarray:
        """Return which first-order states have a series (nw,)."""
        return np.array([name in self.series for name in dae.x.names[2 * dae.tree.size :]], dtype=bool)


def _covering(shares: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a series that reaches from 0 to 1: before its beginning and after its end it keeps its values."""
    if shares[0] > 0:
        shares, values = np.append(0.0, shares), np.append(values[0], values)
    if shares[-1] < 1:
        shares, values = np.append(shares, 1.0), np.append(values, values[-1])
    return shares, values


def _smooth(shares: np.ndarray, values: np.ndarray) -> scipy.interpolate.BSpline:
    shares, values = _covering(shares, values)
    return scipy.interpolate.make_interp_spline(shares, values, k=min(3, len(shares) - 1))


def _monotone(shares: np.ndarray, values: np.ndarray) -> scipy.interpolate.PchipInterpolator:
    return scipy.interpolate.PchipInterpolator(*_covering(shares, values))
