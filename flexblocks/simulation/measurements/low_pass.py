"""Zero-phase low-pass filter of sampled signals: a Butterworth filter, forward and backward, between gaps."""

from __future__ import annotations

import numpy as np

from flexblocks.errors import ParameterError
from flexblocks.libraries import scipy
from flexblocks.simulation.measurements.one_axis import GAP

# Of one direction; both together have twice the order and leave half of an amplitude at the cut-off.
ORDER = 4
# Sample intervals may differ from the usual one by this fraction of it.
UNEVEN = 0.1


def low_pass(name: str, t: np.ndarray, values: np.ndarray, cutoff: float) -> np.ndarray:
    """Return a signal (k,) without what is faster than `cutoff` [Hz], without delay; gaps stay.

    Raises
    ------
    ParameterError
        The samples are not even, or too slow for the cut-off.
    """
    known = np.flatnonzero(~np.isnan(values))
    if len(known) < 2:
        return values
    steps = np.diff(t[known])
    usual = float(np.median(steps))
    within = steps < GAP * usual
    if np.any(np.abs(steps[within] - usual) > UNEVEN * usual):
        raise ParameterError(
            f"Record.filtered: samples of '{name}' are {steps.min():.4g} to {steps[within].max():.4g} s apart; must be "
            "even for a filter. Resample the record first, record.resampled(sample_time)."
        )
    if not 0 < cutoff < 0.5 / usual:
        raise ParameterError(
            f"Record.filtered: cutoff = {cutoff:g} Hz; must be > 0 and < {0.5 / usual:g} Hz, half the rate of '{name}'."
        )
    sections = np.asarray(scipy.signal.butter(ORDER, cutoff, fs=1 / usual, output="sos"))
    result = values.copy()
    for part in np.split(known, np.flatnonzero(~within) + 1):
        # At the ends the signal is continued, odd about its last value, over a period of the cut-off or more.
        longest = min(len(part) - 1, max(3 * (2 * len(sections) + 1), round(1 / (cutoff * usual))))
        result[part] = scipy.signal.sosfiltfilt(sections, values[part], padlen=longest)
    return result
