"""Schedules of samples: inputs that are held from one sample to the next, and clocks that tick at them or between."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexblocks.dynamics.tree.clock import Clock
from flexblocks.simulation.stepping.schedule import Schedule, first_steps, merged, rounding, steps_between, ticks_at


def sample_schedule(
    clocks: Sequence[Clock], begin: float, period: float, samples: int, substeps: int, stages: int
) -> Schedule:
    """Return the steps of so many samples; the state at the start of each sample is kept.

    Parameters
    ----------
    clocks : sequence of Clock
        Steps end where they tick.
    begin : float
        [s]
    period : float
        Time from sample to sample [s].
    samples : int
    substeps : int
        Steps of a sample, and more where clocks tick within it.
    stages : int
        Of the method; inputs have a row for each sample.
    """
    times = begin + period * np.arange(samples + 1)
    step = period / substeps
    ticks = [clock.ticks(times[0], times[-1]) for clock in clocks]
    stops = merged(times, np.unique(np.concatenate([np.zeros(0), *ticks])), rounding(times) + 1e-9 * step)
    starts, lengths, counts = steps_between(stops, step)
    begun = first_steps(counts)
    # Ticks are at stops; the last one belongs to what follows.
    ticking = np.zeros((len(lengths), len(clocks)), dtype=np.uint8)
    ticking[begun] = ticks_at(clocks, stops[:-1])
    sample = np.searchsorted(times, stops[:-1], side="right") - 1
    rows = np.repeat(np.repeat(sample, counts)[:, None], stages, axis=1)
    kept = np.full(len(lengths), -1, dtype=np.int64)
    kept[begun[np.isin(stops[:-1], times)]] = np.arange(samples)
    return Schedule(starts, lengths, ticking, np.ascontiguousarray(rows, dtype=np.int64), kept)
