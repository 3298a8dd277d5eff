"""Grids of a receding horizon: intervals that grow with the distance from now."""

from __future__ import annotations

import numpy as np

# Of the ratio of neighbouring intervals, which is found by bisection.
LARGEST_RATIO, HALVINGS = 2.0, 80


def geometric_grid(sample_time: float, horizon: float, intervals: int) -> np.ndarray:
    """Return lengths (intervals,) [s] in a geometric series, the first of which is the sample time.

    What the next sample needs is resolved, what comes later is only outlined; one short interval before equal long ones
    makes commands chatter at limits.
    """
    low, high = 1.0, LARGEST_RATIO
    while sample_time * np.sum(high ** np.arange(intervals)) < horizon:
        high *= LARGEST_RATIO
    for _ in range(HALVINGS):
        ratio = (low + high) / 2
        if sample_time * np.sum(ratio ** np.arange(intervals)) < horizon:
            low = ratio
        else:
            high = ratio
    return sample_time * low ** np.arange(intervals)
