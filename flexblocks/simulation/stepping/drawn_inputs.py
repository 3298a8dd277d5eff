"""Noise of sensors in steps: rows of inputs that change where a sensor samples, drawn for the seed of each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.tree.clock import Clock
from flexblocks.dynamics.tree.noise import Noise
from flexblocks.simulation.signals.noise import drawn, tick_numbers
from flexblocks.simulation.stepping.schedule import Schedule


def with_drawn_inputs(
    dae: DAE, noises: Sequence[tuple[Clock, Noise]], schedule: Schedule, U: np.ndarray, seed: int, runs: int
) -> tuple[Schedule, np.ndarray]:
    """Return a schedule and its inputs (runs, rows, nu) with rows that change with the noise, too.

    Parameters
    ----------
    dae : DAE
    noises : sequence of (Clock, Noise)
    schedule : Schedule
    U : ndarray (runs or 1, samples, nu)
    seed : int
        Of the first run; the next runs have the next numbers.
    runs : int
    """
    numbers = np.stack([tick_numbers(clock, schedule.starts) for clock, _ in noises], axis=1)
    keys = np.column_stack([schedule.rows[:, 0], numbers])
    changed = np.r_[True, np.any(np.diff(keys, axis=0) != 0, axis=1)]
    rows = np.cumsum(changed) - 1
    held = np.repeat(U[:, schedule.rows[changed, 0]], runs if len(U) == 1 else 1, axis=0)
    for (_, noise), own in zip(noises, numbers[changed].T, strict=True):
        first = int(own[0])
        for run in range(runs):
            values = drawn(noise, seed + run, first, int(own[-1]) - first + 1)
            held[run, :, dae.u.index(noise.name)] = values[own - first]
    stages = schedule.rows.shape[1]
    repeated = np.repeat(rows[:, None], stages, axis=1)
    return replace(schedule, rows=np.ascontiguousarray(repeated, dtype=np.int64)), np.ascontiguousarray(held)
