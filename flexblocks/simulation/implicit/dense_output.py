"""Outputs between the steps of an implicit method: quintic Hermite polynomials of coordinates, cubic ones of states."""

from __future__ import annotations

import numpy as np
from numpy.polynomial import polynomial

from flexblocks.simulation.implicit.integration import Integration

# Hermite polynomials of value, rate and second derivative at the start, then at the end; and of value and rate.
QUINTIC = np.array(
    [
        [1, 0, 0, -10, 15, -6],
        [0, 1, 0, -6, 8, -3],
        [0, 0, 0.5, -1.5, 1.5, -0.5],
        [0, 0, 0, 10, -15, 6],
        [0, 0, 0, -4, 7, -3],
        [0, 0, 0, 0.5, -1, 0.5],
    ]
)
CUBIC = np.array([[1, 0, -3, 2], [0, 1, -2, 1], [0, 0, 3, -2], [0, 0, -1, 1]], dtype=float)


class DenseOutput:
    """Rows of states, rates, multipliers, algebraic variables and work at the output times of an integration.

    Parameters
    ----------
    at : Integration
    times : ndarray (k,)
    """

    def __init__(self, at: Integration, times: np.ndarray) -> None:
        self._at, self._times, self.written = at, times, 0
        width = len(at.x) + len(at.rates) + len(at.multipliers) + len(at.z) + 2
        self.rows = np.zeros((len(times), width))

    def restart(self) -> None:
        """Write outputs at the start of a segment, where accelerations may jump."""
        self._at.remember()
        self.write(also=True)

    def write(self, also: bool = False) -> None:
        """Write the outputs before the present time, and with `also` those at it."""
        t = self._at.t
        slack = 1e-12 * max(abs(t), 1e-3)
        while self.written < len(self._times) and self._times[self.written] < t + (slack if also else -slack):
            self.rows[self.written] = self._row(float(self._times[self.written]))
            self.written += 1

    def _row(self, t: float) -> np.ndarray:
        at, n = self._at, len(self._at.x) - len(self._at.rates)
        t0, x0, rates0, multipliers0, z0, work0, power0 = at.before
        h = at.t - t0
        s = (t - t0) / h if h > 0 else 1.0
        if s >= 1:
            return np.concatenate([at.x, at.rates, at.multipliers, at.z, at.work])
        coordinates = np.stack(
            [x0[:n], h * x0[n : 2 * n], h * h * rates0[:n], at.x[:n], h * at.x[n : 2 * n], h * h * at.rates[:n]]
        )
        powers = QUINTIC.T @ coordinates
        cubic = polynomial.polyval(s, CUBIC.T)
        states = cubic @ np.stack([x0[2 * n :], h * rates0[n:], at.x[2 * n :], h * at.rates[n:]])
        work = cubic @ np.stack([work0, h * power0, at.work, h * at.power])
        mixed = [(1 - s) * a + s * b for a, b in ((rates0, at.rates), (multipliers0, at.multipliers), (z0, at.z))]
        q, v = polynomial.polyval(s, powers), polynomial.polyval(s, polynomial.polyder(powers)) / h
        return np.concatenate([q, v, states, *mixed, work])
