"""Schedules: the steps of a run, the clocks that tick between them, and the states that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from flexblocks.dynamics.tree.clock import Clock

# Times that are computed in different ways differ by so much, as a share of themselves.
ROUNDING = 8 * float(np.finfo(float).eps)
# Intervals are whole steps, or so many decimals of one, where rounding errors of their ends leave that open: steps have
# the same length, to the last digit, wherever in time they are.
DECIMALS = 9


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


def steps_between(
    stops: np.ndarray, step: float, longest: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return starts and lengths (n,) [s] of steps from stop to stop, and how many there are to each (k - 1,).

    Parameters
    ----------
    stops : ndarray (k,)
        Rising times [s].
    step : float
        Length of a step [s], which is shortened to end at stops.
    longest : ndarray (k - 1,), optional
        A shorter length in each interval [s].
    """
    ratios = np.diff(stops) / step
    plain = np.round(ratios, DECIMALS)
    ratios = np.where(np.abs(plain - ratios) * step <= rounding(stops), plain, ratios)
    asked = ratios if longest is None else ratios * np.maximum(step / longest, 1.0)
    counts = np.maximum(np.ceil(asked - 1e-6), 1).astype(np.int64)
    lengths = np.repeat(step * (ratios / counts), counts)
    within = np.arange(len(lengths)) - np.repeat(first_steps(counts), counts)
    return np.repeat(stops[:-1], counts) + within * lengths, lengths, counts


def rounding(times: np.ndarray) -> float:
    """Return by how much two times may differ that are the same but for rounding [s]."""
    return ROUNDING * max(abs(float(times[0])), abs(float(times[-1])))


def first_steps(counts: np.ndarray) -> np.ndarray:
    """Return the first step after each stop (k - 1,), of so many steps between them (k - 1,)."""
    return np.cumsum(counts) - counts


def merged(times: np.ndarray, others: np.ndarray, slack: float) -> np.ndarray:
    """Return rising `times` (k,) [s] with those of others that lie between them, farther than `slack` [s] from each."""
    after = np.clip(np.searchsorted(times, others), 1, len(times) - 1)
    apart = np.minimum(np.abs(others - times[after - 1]), np.abs(times[after] - others))
    inside = (others > times[0]) & (others < times[-1]) & (apart > slack)
    return np.union1d(times, others[inside])


def ticks_at(clocks: Sequence[Clock], times: np.ndarray) -> np.ndarray:
    """Return which clocks tick at each of these times (k,), as uint8 (k, clocks)."""
    ticking = np.zeros((len(times), len(clocks)), dtype=np.uint8)
    for i, clock in enumerate(clocks):
        ticking[:, i] = clock.ticks_at(times)
    return ticking
