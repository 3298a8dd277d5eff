"""Integration of one run by fixed steps: one schedule of all of them, taken by a kernel chunk by chunk."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from flexblocks.errors import ComputationError
from flexblocks.interrupt import Interrupt, answered
from flexblocks.simulation.checks.bounds import Bounds
from flexblocks.simulation.checks.singularities import Singularities
from flexblocks.simulation.chunks import Pace
from flexblocks.simulation.integrators.fixed_step import FixedStep
from flexblocks.simulation.integrators.stepper import StepFailure
from flexblocks.simulation.run import Record
from flexblocks.simulation.signals.inputs import separation, ticks_at
from flexblocks.simulation.stepping.kernel import Kernel
from flexblocks.simulation.stepping.schedule import Schedule, Steps, merged, steps_between
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

    def run(self, X: np.ndarray, guess: np.ndarray) -> Record:
        """Integrate from `X` (nx + 1,) and return the states at the output times; z (nz,) is sought from a `guess`.

        A failure or Ctrl-C ends it early, and the record says so.

        Raises
        ------
        ComputationError
            The algebraic equations cannot be solved at the start.
        Exception
            Any exception of an input function of the user.
        """
        self.system.consistent(self.times[0], X, guess, self.system.parameters(0))
        record = Record([], [], self.times[0], (X, guess))
        state = X[None].copy()
        try:
            self._check(X[None])
            first, steps = 0, len(self._steps)
            while first < steps:
                self.interrupt.obey()
                self.pace.keep_budget()
                last = min(first + self.pace.steps, steps, first + self.pace.budget.max_steps - self.pace.taken)
                self._chunk(first, int(last), state, record)
                first = int(last)
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

    def _chunk(self, first: int, last: int, state: np.ndarray, record: Record) -> None:
        """Take the steps from the first to the last but one, and record the outputs that they pass.

        They begin at `state` (1, nx + 1), which becomes that at their end.
        """
        steps, began = last - first, record.reached
        starts, lengths, interval, begins = self._steps.part(first, last)
        inputs, rows = self._inputs(starts, lengths, self._segments[interval])
        ticking = self._ticking[interval] * begins[:, None]
        schedule = Schedule(starts, lengths, ticking, rows, np.arange(steps))
        states, done = np.empty((1, steps + 1, state.shape[1])), np.zeros(1, dtype=np.int64)
        self.kernel.take(schedule, state, inputs, self.system.p[None], states, done)
        taken = int(done[0])
        passed = states[0, : taken + 1]
        if taken == steps:
            passed[-1] = state[0]
        # States are those at the starts of steps, and the one at the end, before its ticks.
        before = record.state[0][None] if first else passed[:0]
        good = self._good(np.concatenate([before, passed])) - len(before)
        outputs = np.flatnonzero((begins & self._outputs[interval])[: min(good, steps)])
        record.X.extend(passed[outputs])
        if good > 0:
            following, *_ = self._steps.part(last, last + 1)
            times = np.concatenate([starts, following, self.times[-1:]])
            record.reached = float(times[good - 1])
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

    def _inputs(self, starts: np.ndarray, lengths: np.ndarray, segments: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the inputs (1, rows, nu) of steps in these segments, and the row of each stage (steps, stages)."""
        inputs = self.system.inputs
        if inputs.are_held:
            of_segment = np.arange(segments[0], segments[-1] + 1)
            u = self._values(inputs.ends[of_segment], of_segment)
            rows = np.repeat((segments - segments[0])[:, None], self.method.evaluations, axis=1)
        else:
            places, of_stage = np.unique(self.method.c, return_inverse=True)
            times = starts[:, None] + places * lengths[:, None]
            u = self._values(times.ravel(), np.repeat(segments, len(places)))
            rows = len(places) * np.arange(len(starts))[:, None] + of_stage
        return u[None], np.ascontiguousarray(rows, dtype=np.int64)

    def _values(self, times: np.ndarray, segments: np.ndarray) -> np.ndarray:
        """Return the inputs (k, nu) at times (k,) [s] of these segments."""
        inputs = self.system.inputs
        u = np.array(self.system.equations.input(times[None], inputs.parameters[:, segments]))
        inputs.raise_failure()
        return np.ascontiguousarray(u.T)

    @cached_property
    def _steps(self) -> Steps:
        """All steps of the run."""
        inputs = self.system.inputs
        stops = merged(self.times, inputs.ends, separation(self.times[0], self.times[-1]))
        return steps_between(stops, self.step, np.minimum(self.step, inputs.gaps[inputs.segment_of(stops[:-1])]))

    @cached_property
    def _segments(self) -> np.ndarray:
        """The segment of the inputs after each stop (k - 1,)."""
        return self.system.inputs.segment_of(self._steps.stops[:-1])

    @cached_property
    def _ticking(self) -> np.ndarray:
        """The clocks that tick at each stop (k - 1, clocks)."""
        return ticks_at(self.system.dae.clocks, self._steps.stops[:-1])

    @cached_property
    def _outputs(self) -> np.ndarray:
        """Whether each stop (k - 1,) is an output."""
        return np.isin(self._steps.stops[:-1], self.times)
