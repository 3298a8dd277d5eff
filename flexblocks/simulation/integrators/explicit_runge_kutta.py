"""Explicit Runge-Kutta methods with error control, for arms whose fastest modes are lightly damped: many steps a call.

The method of order 4 is for loose tolerances, where both are limited by stability (`flexblocks.dae.explicit_steps`).

Nothing is built for the signals or for the spacing of the stops, and no Jacobian.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from flexblocks.dae.explicit_steps import SIZES, Pair, crossing, rk8, rk43
from flexblocks.simulation.integrators.casadi_integrators.sundials import bdf
from flexblocks.simulation.integrators.driven_equations import DrivenEquations
from flexblocks.simulation.integrators.efforts import step_effort
from flexblocks.simulation.integrators.explicit_step_size import ExplicitStepSize
from flexblocks.simulation.integrators.fixed_step import of_pair
from flexblocks.simulation.integrators.integrator import Integrator, Options, ProblemKind
from flexblocks.simulation.integrators.step_chains import StepChains
from flexblocks.simulation.integrators.stepper import Segments, StepFailure, Stepper, decays_fast, finite, poles_at

# The decay rate times the step, beyond which a step is limited by stability and not by what moves.
LIMITED = 2.0
# Steps between two looks at the poles.
LOOK = 1000
# Steps planned after one was refused, as those behind the next refused one are in vain, or could have been longer.
FEW = 16


class ExplicitStepper(Stepper):
    """Stepper by an embedded explicit Runge-Kutta method.

    Where the equations become stiff in the course of a run, as in a contact, `otherwise` continues.

    Parameters
    ----------
    equations : DrivenEquations
    pair : Pair
    otherwise : callable
        () -> Stepper for stiff equations.
    """

    def __init__(self, equations: DrivenEquations, pair: Pair, otherwise: Callable[[], Stepper]) -> None:
        self.equations, self.otherwise = equations, otherwise
        over = crossing(pair) if pair.reuses_last else pair  # jumps of inputs, and ticks
        pair = over if equations.dae.clocks else pair
        self.evaluations = len(pair.b) - pair.reuses_last
        self.gap, self.crosses, self.size = pair.gap, True, ExplicitStepSize(pair)
        self._chains = StepChains(equations, pair), StepChains(equations, over)
        self._stiff: Stepper | None = None
        self._effort = step_effort(equations, self.evaluations)
        self.begin(np.inf)

    def begin(self, end: float) -> None:
        del end
        self.size.forget()
        self._since, self._goes_on = 0, False
        self._tried = self._accepted = 0
        self._segments: Segments | None = None
        self.keep_gaps(np.inf)

    def keep_segments(self, segments: Segments) -> None:
        self._segments = segments

    def keep_gaps(self, gap: float) -> None:
        super().keep_gaps(gap)
        self.size.longest, self._gap = self.longest, gap

    def prepare(self, times: np.ndarray) -> None:
        if self._goes_on and self._stiff is not None:
            self._stiff.prepare(times)

    def advance(
        self, X: np.ndarray, z: np.ndarray, P: np.ndarray, times: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        clocks = self.equations.dae.clocks
        segments = self._segments or Segments(times[:1], P[:, None], np.zeros((1, len(clocks)), dtype=np.uint8))
        try:
            states, t, X = self._explicit_states(np.asarray(X, dtype=float), segments, times)
        except RuntimeError as error:  # of a function of the user
            raise StepFailure.of(error) from None
        if len(states) < len(times) - 1:
            if self._stiff is None:
                self._stiff = self.otherwise()
            self._stiff.keep_gaps(self._gap)
            self._stiff.measure(self.scale)
            self._stiff.most_steps = self.most_steps
            rest = np.array([t, *times[len(states) + 1 :]])
            # It crosses no segments.
            ends = np.flatnonzero(np.isin(rest[1:-1], segments.starts)) + 1
            for first, last in pairwise([0, *ends.tolist(), len(rest) - 1]):
                part = rest[first : last + 1]
                X = self._ticked(float(part[0]), X, segments, states)
                self._stiff.prepare(part)
                tail, _ = self._stiff.advance(X, z, segments.at(float(part[0])), part)
                self.steps += self._stiff.steps
                states.extend(tail)
                X = states[-1]
        return finite(np.array(states)), None

    def _ticked(self, t: float, X: np.ndarray, segments: Segments, states: list[np.ndarray]) -> np.ndarray:
        """Return the state (nx + 1,) at `t` [s] after ticks, which becomes the last of the states before it."""
        dae, of_step = self.equations.dae, segments.of(np.array([t]))
        ticking = segments.ticks(t, of_step)[0]
        if not ticking.any():
            return X
        P = segments.at(t)
        p, u = P[: len(dae.p)], self.equations.input(t, P[len(dae.p) :])
        changes = [np.array(dae.clocks[i].change(X[:-1], [], u, p)).ravel() for i in np.flatnonzero(ticking)]
        X = finite(np.append(X[:-1] + sum(changes), X[-1]))
        self._note(X, states)
        return X

    def _note(self, begun: np.ndarray, states: list[np.ndarray]) -> None:
        """Note a state after ticks: it is that at the stop before, or at the start."""
        if states:
            states[-1] = begun
        else:
            self.begun = begun

    def _explicit_states(
        self, X: np.ndarray, segments: Segments, times: np.ndarray
    ) -> tuple[list[np.ndarray], float, np.ndarray]:
        """Return the states at the stops until the equations become stiff, and the time [s] and state there."""
        size, states = self.size, []
        self.steps, t, self.begun = 0, float(times[0]), None
        size.set_stops(times)
        if not self._goes_on and not size.step:
            P = segments.at(t)
            size.begin(self.equations, self.scale, t, X, P, times[-1] - times[0])
            self._since = LOOK
        while len(states) < len(times) - 1 and not self._goes_on:
            if self._since >= LOOK or size.is_held_back:
                self._goes_on = self._is_stiff(t, X, segments.at(t))
                if self._goes_on:
                    break
            # Equal steps to each of the next stops, as many as one call takes ...
            ends, lengths, stops = self._plan(t, times[len(states) + 1 :])
            of_steps = segments.of(ends - lengths / 2)
            ticking = segments.ticks(t, of_steps)
            new, begun, errors = self._chains[len(segments.starts) > 1].take(
                X, segments.P[:, of_steps], self.scale, ends - lengths, lengths, ticking
            )
            accepted = size.control(errors, lengths[: len(errors)])
            # ... of which those count that come before the first refused one.
            self.steps += len(errors)
            self._since += accepted
            self._tried, self._accepted = self._tried + len(errors), self._accepted + accepted
            for i in range(accepted) if ticking.any() else np.flatnonzero(stops[:accepted]).tolist():
                if ticking[i].any():
                    self._note(begun[i], states)
                if stops[i]:
                    states.append(new[i])
            if accepted:
                t, X = float(ends[accepted - 1]), new[accepted - 1]
            if size.step < 1e-14 * max(abs(t), times[-1] - times[0]):
                raise StepFailure("the step size had to become too small")
            if self.steps > self.most_steps:
                raise StepFailure("it takes more and more steps")
        return states, t, X

    def _plan(self, t: float, stops: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the ends and lengths of the next steps [s], and which of them end at a stop."""
        ends: list[np.ndarray] = []
        marks: list[np.ndarray] = []
        # No more steps of one length than there were before: a motion that has just begun grows with every one.
        most = FEW if self.size.is_unsettled else min(max(self._accepted, FEW), SIZES[-1])
        count, start = 0, t
        for stop in stops.tolist():
            steps = max(int(np.ceil((stop - start) / self.size.next * (1 - 1e-9))), 1)
            here = start + (stop - start) / steps * np.arange(1, min(steps, most - count) + 1)
            at = np.zeros(len(here), dtype=bool)
            if len(here) == steps:
                here[-1], at[-1] = stop, True
            ends.append(here)
            marks.append(at)
            count, start = count + len(here), stop
            if count >= most:
                break
        times = np.concatenate(ends)
        return times, np.diff(times, prepend=t), np.concatenate(marks)

    @property
    def rate(self) -> float:
        """Effort of the next steps in a second of the motion [s/s], with refused ones; 0 before the first one."""
        return self._effort * self._tried / self._accepted / self.size.length if self._accepted else 0.0

    @property
    def is_limited(self) -> bool:
        """Whether steps are as long as errors and stability allow: neither begun, nor ended by stops, nor BDF's."""
        return self.size.is_limited and not self._goes_on

    def look(self, t: float, X: np.ndarray, P: np.ndarray) -> np.ndarray:
        """Return the poles [1/s], and keep steps within the stability of the fastest one."""
        self._since, poles = 0, poles_at(self.equations.rates, t, X, P)
        self.size.stabilize(poles)
        return poles

    def _is_stiff(self, t: float, X: np.ndarray, P: np.ndarray) -> bool:
        """Return whether stability of the fastest decay, and not what moves, limits the steps; look at the poles."""
        poles = self.look(t, X, P)
        return len(poles) > 0 and decays_fast(poles) and float(np.max(-np.real(poles))) * self.size.step > LIMITED


def explicit_stepper(equations: DrivenEquations, options: Options, pair: Pair) -> ExplicitStepper:
    """Return the stepper by this pair, which leaves what becomes stiff to BDF."""
    return ExplicitStepper(equations, pair, lambda: bdf(equations, options))


RK43 = Integrator("rk43", lambda equations, options: explicit_stepper(equations, options, rk43()))
RK8 = Integrator(
    "rk8",
    lambda equations, options: explicit_stepper(equations, options, rk8()),
    fixed=lambda: of_pair(rk8()),
    suits=ProblemKind.INTERRUPTED,
)
