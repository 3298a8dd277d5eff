"""Mesh of collocation intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from flexblocks.argument_types import short
from flexblocks.errors import listing

from ..errors import ProblemError
from ..tolerances import ROUNDING

# Of a two-link arm, 100 intervals have 8000 variables; a thousand times as many variables are beyond any solver here.
MOST_INTERVALS = 100_000


@dataclass(frozen=True, eq=False)
class Mesh:
    """A mesh of K intervals.

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
        """Lengths of the intervals as fractions of the duration, (K,)."""
        return self.steps / self.duration

    def within(self, shares: np.ndarray) -> np.ndarray:
        """Return the times [s] at the shares (d,) of each interval, (K, d)."""
        return self.times[:-1, None] + self.steps[:, None] * shares

    def lasting(self, duration: float) -> Mesh:
        """Return this mesh stretched to another duration [s]."""
        return self if duration == self.duration else Mesh(self.times * (duration / self.duration))


def uniform_mesh(duration: float, intervals: int, through: Sequence[float] = ()) -> Mesh:
    """Return a mesh of nearly equal intervals with mesh points at the fractions `through` of the duration.

    There must be fewer of these than intervals.
    """
    ends = np.array([0.0, *through, 1.0])
    wanted = np.diff(ends) * int(intervals)
    counts = np.maximum(np.round(wanted).astype(int), 1)
    while (excess := counts.sum() - int(intervals)) != 0:
        # Correct the stretch with the largest surplus or deficit of intervals for its length
        step = -int(np.sign(excess))
        lack = np.where(counts + step > 0, (wanted - counts) * step, -np.inf)
        counts[int(np.argmax(lack))] += step
    stretches = [np.linspace(a, b, count + 1)[:-1] for (a, b), count in zip(pairwise(ends), counts, strict=True)]
    return Mesh(np.append(np.concatenate(stretches), 1.0) * duration)


def spaced_mesh(duration: float, spacing: Sequence[float], through: Sequence[float] = ()) -> Mesh:
    """Return a mesh with intervals of these lengths relative to each other.

    Raises
    ------
    ProblemError
        No mesh point at one of the fractions `through` of the duration.
    """
    times = np.append(0.0, np.cumsum(spacing)) / np.sum(spacing)
    for share in through:
        if np.abs(times - share).min() > ROUNDING:
            raise ProblemError(f"plan: spacing: no mesh point at the via point at {share:g} of the duration.")
    return Mesh(times * duration)


def checked_spacing(spacing: Any, counts: Sequence[int]) -> tuple[tuple[float, ...], ...] | None:
    """Return the lengths of the intervals of each phase as plain numbers.

    Raises
    ------
    ProblemError
        Other than a positive number for each interval.
    """
    if spacing is None:
        return None
    try:
        lengths = tuple(tuple(map(float, phase)) for phase in spacing)
    except (OverflowError, TypeError, ValueError):
        lengths = ()
    whole = [len(phase) for phase in lengths] == list(counts)
    if not whole or not all(0 < length < np.inf for phase in lengths for length in phase):
        raise ProblemError(
            f"plan: spacing = {short(spacing)}; must be a sequence for each phase, of a number > 0 for each of its "
            f"{listing(map(str, counts))} intervals."
        )
    return lengths


def check_intervals(intervals: int) -> None:
    """Refuse an invalid number of intervals.

    Raises
    ------
    ProblemError
        Fewer than one interval, more than any memory holds, or not a whole number.
    """
    if isinstance(intervals, bool) or not isinstance(intervals, (int, np.integer)) or intervals < 1:
        raise ProblemError(f"plan: intervals = {short(intervals)}; must be a whole number >= 1.")
    if intervals > MOST_INTERVALS:
        raise ProblemError(
            f"plan: intervals = {short(intervals)}; no memory holds so many. Use at most {MOST_INTERVALS}; some "
            "100 are usual."
        )
