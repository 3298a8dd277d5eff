"""Where a signal reaches the limits of its input, at which saturation has a kink."""

from __future__ import annotations

import numpy as np

from flexblocks.simulation.signals.jumps import jumps
from flexblocks.simulation.signals.polynomial import PiecewisePolynomial
from flexblocks.simulation.signals.signal import Signal, TimeSignal


def crossings(signal: TimeSignal, limit: float, start: float, end: float) -> np.ndarray:
    """Return the times in [start, end] [s] at which a signal crosses -`limit` or `limit`, beside its breakpoints.

    They are the roots of a polynomial; of a function they are located by bisection between the samples of `jumps`.
    """
    if isinstance(signal, PiecewisePolynomial):
        roots = [np.ravel(signal.pieces.solve(level, discontinuity=False)) for level in (-limit, limit)]
        times = np.unique(np.concatenate([each[np.isfinite(each)] for each in roots]))
        return times[(times >= start) & (times <= end)]

    def beyond(times: np.ndarray) -> np.ndarray:
        values = _values(signal, times)
        # Values that are not finite are passed on to `jumps`, which refuses them.
        wrong = np.where(np.isfinite(values), 0.0, values)
        return np.column_stack([(values < -limit) + wrong, (values > limit) + wrong])

    return jumps(beyond, start, end)


def _values(signal: TimeSignal, times: np.ndarray) -> np.ndarray:
    if isinstance(signal, Signal) and signal.compiled is not None:
        return np.array(signal.compiled(times[None, :])).ravel()
    return np.array([float(signal(time)) for time in times])  # type: ignore[operator]
