"""Integration of one run by fixed steps: one schedule of all of them, taken by a kernel chunk by chunk."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from flexblocks.errors import ComputationError
from flexblocks.interrupt import Interrupt, answered
from flexblocks.simulation.bounds import Bounds
from flexblocks.simulation.chunks import Pace
from flexblocks.simulation.integrators.fixed_step import FixedStep
from flexblocks.simulation.integrators.stepper import StepFailure
from flexblocks.simulation.run import Record
from flexblocks.simulation.signals.inputs import separation
from flexblocks.simulation.singularities import Singularities
from flexblocks.simulation.stepping.kernel import Kernel
from flexblocks.simulation.stepping.schedule import Schedule, first_steps, merged, steps_between, ticks_at
from flexblocks.simulation.system import System

UNSOLVED = "the algebraic equations could not be solved"


@dataclass(frozen=True)
class FixedSteps:
    """Integration from the first to the last of the output `times` (k,) [s] by steps of one length [s].

    Steps are shorter where they end at output times, at ticks and where an input jumps or bends.
    """

    system: System
    kernel: Kernel
    method: FixedStep
    step: float
    bounds: Bounds
    singularities: Singularities
    times: np.ndarray
    pace: Pace
    interrupt: Interrupt

    def run(self, X: np.ndarray) -> Record:
        """Integrate from `X` (nx + 1,) and return the states at the output times.

        A failure or Ctrl-C ends it early, and the record says so.

        Raises
        ------
        ComputationError
            The algebraic equations cannot be solved at the start.
        Exception
            Any exception of an input function of the user.
        """
        guess = self.system.dae.z.start
        self.system.consistent(self.times[0], X, guess, self.system.parameters(0))
        record = Record([], [], self.times[0], (X, guess))
        state = X[None].copy()
        try:
            self._check(X[None])
            for first in range(0, len(self._schedule), self.pace.steps):
                self.interrupt.obey()
                self.pace.keep_budget()
                self._chunk(first, state, record)
        except KeyboardInterrupt:
            record.interrupted = True
            answered()
        except (StepFailure, ComputationError) as failure:
            record.X = record.X or [X]
            record.fail(failure, self.singularities, self.bounds, self.system.p)
        else:
            record.X.append(state[0].copy())
        record.z = [guess] * len(record.X)
        return record

    def _chunk(self, first: int, state: np.ndarray, record: Record) -> None:
        """Take the next steps from `state` (1, nx + 1), which becomes that at their end, and record what they pass."""
        schedule = self._schedule.part(first, first + self.pace.steps)
        steps, began = len(schedule), record.reached
        inputs = self._inputs(schedule)
        every = replace(schedule, rows=self._rows(steps), kept=np.arange(steps))
        states, done = np.empty((1, steps + 1, state.shape[1])), np.zeros(1, dtype=np.int64)
        self.kernel.take(every, state, inputs, self.system.p[None], states, done)
        taken = int(done[0])
        passed = states[0, : taken + 1]
        if taken == steps:
            passed[-1] = state[0]
        # States are those at the starts of steps, and the one at the end, before its ticks.
        before = record.state[0][None] if first else passed[:0]
        good = self._good(np.concatenate([before, passed])) - len(before)
        starts = np.append(schedule.starts, self._schedule.starts[first + steps : first + steps + 1])
        kept = np.flatnonzero(schedule.kept[: min(good, steps)] >= 0)
        record.X.extend(passed[kept])
        if good > 0:
            record.reached = float(starts[good - 1]) if good <= len(starts) else float(self.times[-1])
            record.state = passed[good - 1].copy(), record.state[1]
        if good <= steps:
            self._check(np.concatenate([before, passed[: good + 1]]))
            raise StepFailure("the solution grows beyond all bounds" if not np.isfinite(state).all() else UNSOLVED)
        self.pace.done(began, record.reached, steps)

    def _good(self, states: np.ndarray) -> int:
        """Return how many of these states (k, nx + 1), one after the other, come before the first that is refused."""
        if self._is_kept(states):
            return len(states)
        low, high = 0, len(states)  # the first are good, the first `high` are not
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._is_kept(states[:middle]) else (low, middle)
        return low

    def _is_kept(self, states: np.ndarray) -> bool:
        try:
            self._check(states)
        except StepFailure:
            return False
        return True

    def _check(self, states: np.ndarray) -> None:
        """Refuse states (k, nx + 1), one after the other, that are out of bounds or in a singular posture."""
        if not len(states):
            return
        self.bounds.keep(states, self.system.p)
        if self.system.is_watched:
            z = np.tile(self.system.dae.z.start, (len(states), 1))
            self.singularities.keep(states, z, self.system.p, fixed_steps=len(states) > 1)

    def _inputs(self, schedule: Schedule) -> np.ndarray:
        """Return the inputs (1, rows, nu) of these steps: rows for the places of each, then those of the next."""
        system, places = self.system, np.unique(self.method.c)
        times = schedule.starts[:, None] + places * schedule.lengths[:, None]
        segments = np.repeat(schedule.rows[:, 0], len(places))
        u = np.array(system.equations.input(times.reshape(1, -1), system.inputs.parameters[:, segments]))
        system.inputs.raise_failure()
        return np.ascontiguousarray(u.T)[None]

    def _rows(self, steps: int) -> np.ndarray:
        places, of_stage = np.unique(self.method.c, return_inverse=True)
        return len(places) * np.arange(steps)[:, None] + of_stage

    @cached_property
    def _schedule(self) -> Schedule:
        """All steps of the run; `rows` are the segments of the inputs, what is `kept` are the outputs."""
        inputs, clocks = self.system.inputs, self.system.dae.clocks
        slack = separation(self.times[0], self.times[-1])
        stops = merged(self.times, inputs.ends, slack)
        segments = np.clip(np.searchsorted(inputs.ends, stops[:-1] + slack, side="right") - 1, 0, len(inputs.ends) - 2)
        longest = np.minimum(self.step, inputs.gaps[segments])
        starts, lengths, counts = steps_between(stops, self.step, longest)
        begun = first_steps(counts)
        ticking = np.zeros((len(lengths), len(clocks)), dtype=np.uint8)
        ticking[begun] = ticks_at(clocks, stops[:-1])
        kept = np.full(len(lengths), -1, dtype=np.int64)
        outputs = np.isin(stops[:-1], self.times)
        kept[begun[outputs]] = np.arange(np.count_nonzero(outputs))
        return Schedule(starts, lengths, ticking, np.repeat(segments, counts)[:, None], kept)
