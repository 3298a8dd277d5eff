"""The output times of a run, from what the user gave."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexblocks.errors import ParameterError

SAMPLES = 1001


def output_times(t: Any, where: str) -> tuple[np.ndarray, bool]:
    """Return the output times (k,) [s], and whether the user gave them one by one.

    Raises
    ------
    ParameterError
        They are not finite, rising numbers.
    """
    try:
        times = np.asarray(t, dtype=float)
    except (TypeError, ValueError):
        times = np.zeros(0)
    if times.ndim != 1 or len(times) < 2:
        raise ParameterError(f"{where}: t = {t!r}; must be (start, end) [s] or an array of output times.")
    if not np.all(np.isfinite(times)):
        raise ParameterError(f"{where}: t must be finite; there is a nan or an infinity in it.")
    if not np.all(np.diff(times) > 0):
        at = int(np.argmax(np.diff(times) <= 0))
        raise ParameterError(f"{where}: t must rise; {times[at]:g} s is followed by {times[at + 1]:g} s.")
    if len(times) == 2 and not isinstance(t, np.ndarray):
        return np.linspace(times[0], times[1], SAMPLES), False
    return times, True
