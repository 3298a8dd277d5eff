"""The mesh: the times between which a plan is collocated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .errors import ProblemError


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


def uniform_mesh(duration: float, intervals: int) -> Mesh:
    """Return a mesh of intervals of one length."""
    return Mesh(np.linspace(0.0, duration, int(intervals) + 1))


def check_intervals(intervals: int) -> None:
    """Refuse what is no number of intervals.

    Raises
    ------
    ProblemError
        Less than one interval, or no whole number of them.
    """
    if isinstance(intervals, bool) or not isinstance(intervals, (int, np.integer)) or intervals < 1:
        raise ProblemError(f"plan: intervals = {intervals!r}; must be a whole number >= 1.")
