"""Integration of one run, segment by segment and chunk by chunk, with a record of what was reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from flexblocks.errors import ComputationError
from flexblocks.interrupt import Interrupt, answered
from flexblocks.simulation.checks.bounds import Bounds
from flexblocks.simulation.checks.chart_changes import ChartChanges
from flexblocks.simulation.checks.singularities import Singularities
from flexblocks.simulation.chunks import Pace
from flexblocks.simulation.integrators.stepper import Segments, StepFailure, Stepper, finite
from flexblocks.simulation.motion_size import MotionSize
from flexblocks.simulation.signals.inputs import separation, ticks_at
from flexblocks.simulation.signals.parameter_change import ParameterChange
from flexblocks.simulation.system import System

SMALLEST = 1e-6  # accuracy to which the time of a failure is located, as a fraction of the run
STUCK = 1e-3  # the same beside a change point of loops, which no method meets with fewer steps
LOCATING = 8  # parts of a failed chunk beside a possible gimbal lock, where halves would take ten thousand steps each


SERIES = ("X", "z", "rates", "multipliers", "damped")  # of a record


@dataclass
class Record:
    """States at the output times that a run has reached.

    Attributes
    ----------
    X, z : list of ndarray
        States with work (nx + 1,), and guesses of the algebraic variables (nz,), at the first output times.
    reached : float
        Time [s] up to which the integration went.
    state : tuple of ndarray
        The state with work (nx + 1,) and the guess (nz,) then.
    failure : str or None
        Reason of an early end.
    advice : str or None
        What to try then, where that differs from the advice of the integrator.
    interrupted : bool
        Whether Ctrl-C ended it.
    rates, multipliers : list of ndarray or None
        Accelerations with rates of first-order states (n + nw,), and multipliers of all closures (m,), at the first
        output times, of methods that integrate them; the others leave them to forward dynamics.
    damped : list of float or None
        What dampers took out of the motion [J] up to the first output times, of methods that integrate it.
    counts : dict of int
        What the method computed, by its own words.
    damped_modes : tuple of float or None
        Frequencies [Hz] of the modes at the start that the steps of the method damp, where it does.
    changes : tuple of ParameterChange
        Changes of parameters that it has passed.
    """

    X: list[np.ndarray]
    z: list[np.ndarray]
    reached: float
    state: tuple[np.ndarray, np.ndarray]
    failure: str | None = None
    advice: str | None = None
    interrupted: bool = False
    rates: list[np.ndarray] | None = None
    multipliers: list[np.ndarray] | None = None
    damped: list[float] | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    damped_modes: tuple[float, ...] | None = None
    changes: tuple[ParameterChange, ...] = ()

    def at(self, kept: Sequence[int]) -> Record:
        """Return the record of some of its samples."""
        series = {name: getattr(self, name) for name in SERIES}
        return replace(self, **{k: None if v is None else [v[i] for i in kept] for k, v in series.items()})

    def fail(self, failure: Exception, singularities: Singularities, bounds: Bounds, p: np.ndarray) -> None:
        """End the record with a failure, and what the state that was reached says of it."""
        told = singularities.explained(failure, *self.state, p)
        self.failure = bounds.explained(str(told), self.state[0])
        self.advice = getattr(told, "advice", None)


def joined(parts: Sequence[Record], kept: Sequence[np.ndarray], changes: Sequence[ParameterChange]) -> Record:
    """Return the record of a run of the `parts` between changes of parameters, of whose samples some are `kept`."""
    if len(parts) == 1 and kept[0].all():
        return parts[0]
    some = [part.at(np.flatnonzero(those[: len(part.X)]).tolist()) for part, those in zip(parts, kept, strict=False)]
    series: dict[str, list | None] = {}
    for name in SERIES:
        lists = [getattr(part, name) for part in some]
        series[name] = None if lists[0] is None else [each for one in lists for each in one]
    counts: Counter[str] = Counter()
    for part in parts:
        counts.update(part.counts)
    return replace(parts[-1], **series, counts=counts, damped_modes=parts[0].damped_modes, changes=tuple(changes))


@dataclass(frozen=True)
class Integration:
    """Integration from the first to the last of the output `times` (k,) [s]; where tolerances follow its `size`."""

    system: System
    stepper: Stepper
    bounds: Bounds
    singularities: Singularities
    charts: ChartChanges
    times: np.ndarray
    pace: Pace
    interrupt: Interrupt
    size: MotionSize | None

    def run(self, X: np.ndarray, guess: np.ndarray) -> Record:
        """Integrate from `X` and return the states at the output times; z (nz,) is sought from a `guess`.

        A failure or Ctrl-C ends it early, and the record says so.

        Raises
        ------
        ComputationError
            The algebraic equations cannot be solved at the start.
        Exception
            Any exception of an input function of the user.
        """
        self.stepper.begin(float(self.times[-1]))
        z = self.system.consistent(self.times[0], X, guess, self.system.parameters(0))
        record = Record([X], [z], self.times[0], (X, z))
        try:
            if self.system.is_watched:
                self.singularities.keep(X[None], z[None], self.system.p, fixed_steps=False)
            for first, last in self._legs():
                X, z = self._leg(first, last, X, z, record)
        except KeyboardInterrupt:
            record.interrupted = True
            answered()
        except (StepFailure, ComputationError) as failure:
            record.fail(failure, self.singularities, self.bounds, self.system.p)
        return record

    def _legs(self) -> list[tuple[int, int]]:
        """Return the first segment of each leg and that after its last: what is integrated in one go.

        A leg is one segment, or as many with the same gaps as a stepper may cross.
        """
        inputs = self.system.inputs
        count = len(inputs.ends) - 1
        if not self.stepper.crosses:
            return [(i, i + 1) for i in range(count)]
        begins = np.append(True, inputs.gaps[1:] != inputs.gaps[:-1])
        return list(pairwise([*np.flatnonzero(begins).tolist(), count]))

    def _leg(
        self, first: int, last: int, X: np.ndarray, z: np.ndarray, record: Record
    ) -> tuple[np.ndarray, np.ndarray]:
        """Integrate the segments of a leg in chunks; a chunk that fails is retried in parts."""
        inputs = self.system.inputs
        now, P = inputs.ends[first], self.system.parameters(first)
        self.stepper.keep_gaps(float(inputs.gaps[first]))
        p = np.repeat(self.system.p[:, None], last - first, axis=1)
        starts = inputs.ends[first:last]
        ticking = ticks_at(self.system.dae.clocks, starts)
        segments = Segments(starts, np.vstack([p, inputs.parameters[:, first:last]]), ticking)
        self.stepper.keep_segments(segments)
        stops, wanted = self._stops(first, last)
        z = self.system.consistent(now, X, z, P)
        if not self.stepper.crosses:
            X, z = self._ticked(first, X, z, record)
        i = 0
        while i < len(stops):
            # Integrate a chunk ...
            self.interrupt.obey()
            self.pace.keep_budget()
            if self.charts.functions:
                X = self.charts.changed(X, self.system.p)
                self.pace.length = min(self.pace.length, self.charts.time_left(X, self.system.p))
            chunk = self._chunk(now, stops[i:])
            if self.size is not None:
                self.stepper.measure(self.size.scale(now, X, segments.at(now)))
            self.stepper.prepare(chunk)
            self.pace.keep_budget()  # what is derived and compiled there takes long of large arms
            try:
                states, algebraics = self.stepper.advance(X, z, P, chunk)
                guesses = np.tile(z, (len(states), 1)) if algebraics is None else algebraics
                self.bounds.keep(states, self.system.p)
                if self.system.is_watched:
                    passed = np.vstack([X, states]), np.vstack([z, guesses])
                    self.singularities.keep(*passed, self.system.p, fixed_steps=False)
                if self.charts.functions:
                    self.charts.keep(X, states, self.system.p, chunk[-1] - now)
            except StepFailure:
                # ... or a part of it, until the time of the failure is located ...
                self.system.inputs.raise_failure()
                self.interrupt.obey()
                self.pace.taken += self.stepper.steps
                part = (chunk[-1] - now) / (LOCATING if self.system.is_watched else 2)
                if (
                    part < SMALLEST * (self.times[-1] - self.times[0])
                    or (self.system.is_watched and self.singularities.is_stuck(X, z, self.system.p))
                    or self.singularities.is_blocked(X, self.system.p)
                    or (
                        part < STUCK * (self.times[-1] - self.times[0])
                        and self.singularities.is_at_change_point(X, self.system.p, part)
                    )
                ):
                    raise
                self.pace.length = part
                continue
            # ... and record the states at output times.
            if self.size is not None:
                self.size.reach(states)
            if self.stepper.begun is not None:
                self._replace(now, self.stepper.begun, z, record)
            X, z = states[-1], z if algebraics is None else algebraics[-1]
            for time, state, guess in zip(chunk[1:], states, guesses, strict=True):
                if time != stops[i]:
                    continue  # a cut between two stops
                if wanted[i]:
                    record.X.append(state)
                    record.z.append(guess)
                i += 1
            self.pace.done(now, chunk[-1], self.stepper.steps)
            now = record.reached = chunk[-1]
            record.state = X, z
        return X, z

    def _ticked(self, segment: int, X: np.ndarray, z: np.ndarray, record: Record) -> tuple[np.ndarray, np.ndarray]:
        """Apply the clocks that tick at the start of a segment; all of them see the values before.

        A sample at that time is the limit from the right, after the tick, as it is at a discontinuity of an input.
        """
        system, now = self.system, self.system.inputs.ends[segment]
        ticking = [clock for clock in system.dae.clocks if clock.ticks_at(now)]
        if not ticking:
            return X, z
        P = system.parameters(segment)
        x, u = X[:-1], system.equations.input(now, P[len(system.p) :])
        change = sum(np.array(clock.change(x, z, u, system.p)).ravel() for clock in ticking)
        X = finite(np.append(x + change, X[-1]))
        z = system.consistent(now, X, z, P)
        self._replace(now, X, z, record)
        return X, z

    def _replace(self, now: float, X: np.ndarray, z: np.ndarray, record: Record) -> None:
        """Record a state after ticks, if the one before is that of an output."""
        if abs(self.times[len(record.X) - 1] - now) <= separation(self.times[0], self.times[-1]):
            record.X[-1], record.z[-1] = X, z

    def _stops(self, begin: int, end: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the times at which the integration of a leg stops, and which of these are output times."""
        left, *inner, right = self.system.inputs.ends[begin : end + 1].tolist()
        slack = separation(self.times[0], self.times[-1])
        first, last = np.searchsorted(self.times, [left + slack, right + slack], side="right")
        outputs = self.times[first:last].copy()
        outputs[outputs > right - slack] = right
        # An output that is the end of a segment but for rounding is that end.
        at = np.searchsorted(inner, outputs - slack) if inner else np.zeros(len(outputs), dtype=int)
        for i, k in enumerate(at.tolist()):
            if k < len(inner) and abs(inner[k] - outputs[i]) <= slack:
                outputs[i] = inner[k]
        stops = np.union1d(outputs, [*inner, right])
        return stops, np.isin(stops, outputs)

    def _chunk(self, now: float, stops: np.ndarray) -> np.ndarray:
        """Return the times of the next chunk: now, and the stops that the pace allows, or a cut before the first."""
        reach = now + self.pace.length
        count = int(np.searchsorted(stops, reach, side="right"))
        if count == 0:
            cut = reach < stops[0] - 0.1 * self.pace.length
            return np.array([now, reach if cut else stops[0]])
        if count < len(stops):
            count = 2 ** (count.bit_length() - 1)  # few distinct numbers, so that integrators are reused
        return np.array([now, *stops[:count]])
