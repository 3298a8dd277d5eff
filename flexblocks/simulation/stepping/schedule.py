"""Schedules: the steps of a run, the clocks that tick between them, and the states that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from flexblocks.dynamics.tree.clock import Clock

# An interval this near to a whole number of steps, as a share of a step, has that number.
SLACK = 1e-6
# Rounding errors of two times that are computed in different ways, as a share of the later one.
ROUNDING = 8 * np.finfo(float).eps


@dataclass(frozen=True, eq=False)
class Schedule:
    """Steps of a run, one after the other.

    Attributes
    ----------
    starts : ndarray (k,)
        Start of each step [s].
    lengths : ndarray (k,)
        Length of each step [s].
    ticking : ndarray of uint8 (k, clocks)
        The clocks that tick at its start.
    rows : ndarray of int64 (k, stages)
        The row of the inputs that each stage takes.
    kept : ndarray of int64 (k,)
        The place where the state at its start, after ticks, is kept; -1 where it is not.
    """

    starts: np.ndarray
    lengths: np.ndarray
    ticking: np.ndarray
    rows: np.ndarray
    kept: np.ndarray

    def __len__(self) -> int:
        return len(self.lengths)

    def part(self, first: int, last: int) -> Schedule:
        """Return the steps from the first to the last but one."""
        return Schedule(*(getattr(self, field.name)[first:last] for field in fields(self)))


def steps_between(stops: np.ndarray, longest: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return starts and lengths (n,) [s] of steps from stop to stop, and how many there are to each (k - 1,).

    Parameters
    ----------
    stops : ndarray (k,)
        Rising times [s].
    longest : ndarray (k - 1,)
        Length of a step in each interval [s], which is shortened to end at the stop.
    """
    spans = np.diff(stops)
    ratios = spans / longest
    counts = np.maximum(np.ceil(ratios - SLACK), 1).astype(np.int64)
    # A whole number of steps but for the rounding of the stops has the length that was asked for, to the last digit.
    whole = np.abs(spans - counts * longest) <= ROUNDING * np.max(np.abs(stops))
    lengths = np.repeat(np.where(whole, longest, spans / counts), counts)
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    within = np.arange(len(lengths)) - np.repeat(first, counts)
    return np.repeat(stops[:-1], counts) + within * lengths, lengths, counts


def merged(times: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return rising `times` (k,) [s] with those of others that lie between them, but for rounding."""
    after = np.clip(np.searchsorted(times, others), 1, len(times) - 1)
    apart = np.minimum(np.abs(others - times[after - 1]), np.abs(times[after] - others))
    slack = ROUNDING * max(abs(times[0]), abs(times[-1]))
    inside = (others > times[0]) & (others < times[-1]) & (apart > slack)
    return np.union1d(times, others[inside])


def ticks_at(clocks: Sequence[Clock], times: np.ndarray) -> np.ndarray:
    """Return which clocks tick at each of these times (k,), as uint8 (k, clocks)."""
    ticking = np.zeros((len(times), len(clocks)), dtype=np.uint8)
    for i, clock in enumerate(clocks):
        ticking[:, i] = clock.ticks_at(times)
    return ticking
