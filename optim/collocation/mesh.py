"""Mesh: the times between which a plan is collocated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..errors import ProblemError


@dataclass(frozen=True, eq=False)
class Mesh:
    """K intervals.

    Attributes
    ----------
    times : ndarray (K + 1,)
        Mesh points [s], increasing from 0.
    """

    times: np.ndarray

    @property
    def intervals(self) -> int:
        return len(self.times) - 1

    @property
    def steps(self) -> np.ndarray:
        """Lengths of the intervals [s], (K,)."""
        return np.diff(self.times)

    @property
    def duration(self) -> float:
        return float(self.times[-1])

    @property
    def shares(self) -> np.ndarray:
        """Lengths of the intervals as shares of the duration, (K,)."""
        return self.steps / self.duration

    def lasting(self, duration: float) -> Mesh:
        """Return this mesh stretched to another duration [s]."""
        return self if duration == self.duration else Mesh(self.times * (duration / self.duration))


def uniform_mesh(duration: float, intervals: int, through: Sequence[float] = ()) -> Mesh:
    """Return a mesh of intervals of one length, or nearly: it has points at the shares `through` of the duration.

    There are fewer of these than intervals.
    """
    ends = np.array([0.0, *through, 1.0])
    wanted = np.diff(ends) * int(intervals)
    counts = np.maximum(np.round(wanted).astype(int), 1)
    while (excess := counts.sum() - int(intervals)) != 0:
        # Where a stretch has the most intervals too many, or too few, for its length.
        step = -int(np.sign(excess))
        lack = np.where(counts + step > 0, (wanted - counts) * step, -np.inf)
        counts[int(np.argmax(lack))] += step
    stretches = [np.linspace(a, b, count + 1)[:-1] for (a, b), count in zip(pairwise(ends), counts, strict=True)]
    return Mesh(np.append(np.concatenate(stretches), 1.0) * duration)


def check_intervals(intervals: int) -> None:
    """Refuse what is no number of intervals.

    Raises
    ------
    ProblemError
        Less than one interval, or no whole number of them.
    """
    if isinstance(intervals, bool) or not isinstance(intervals, (int, np.integer)) or intervals < 1:
        raise ProblemError(f"plan: intervals = {intervals!r}; must be a whole number >= 1.")
