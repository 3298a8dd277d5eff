"""Radau IIA methods of high order with error control, for arms with fast modes barely excited and damped.

An explicit method has to follow each of these modes for the sake of stability. Elements of a short link of section 5 of
Theodore & Ghosal oscillate at 105 000 rad/s, and hardly: rk8 takes 7000 steps of 12 evaluations for its 0.5 s, this
method 480 steps, of 22 000 evaluations in all, for the same error.

Steps end at output times, as what lies between is less accurate than their ends.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from flexblocks.simulation.integrators.driven_equations import DrivenEquations
from flexblocks.simulation.integrators.efforts import Effort
from flexblocks.simulation.integrators.integrator import Integrator, Options
from flexblocks.simulation.integrators.radau_step import RadauStep, norm
from flexblocks.simulation.integrators.stepper import ErrorScale, StepFailure, Stepper, finite

SAFETY, LEAST, MOST = 0.9, 0.2, 8.0
# A step is kept, and so are the factors of its equations, unless it could be so much longer.
WORTHWHILE = 1.2
# The first step of a run, as a share of the way to its last stop ahead.
SHORTEST = 1e-8
# Steps over which the effort is measured.
RECENT = 6
# Steps' worth of effort that the beginning may take beyond what is allowed.
BEGINNING = 12


class RadauStepper(Stepper):
    """Stepper by a Radau IIA method.

    Parameters
    ----------
    equations : DrivenEquations
        Without algebraic variables, which these would eliminate at each evaluation.
    options : Options

    Attributes
    ----------
    failure : StepFailure or None
        Why the last attempt ended early.
    """

    step_time = 4e-4

    def __init__(self, equations: DrivenEquations, options: Options) -> None:
        self._equations = equations
        self._step = RadauStep(equations, options)
        self.evaluations, self.gap = 4 * self._step.stages, self._step.gap
        self.begin(np.inf)

    def begin(self, end: float) -> None:
        self.start(end, 0.0)

    def start(self, end: float, length: float) -> None:
        """Begin a run to `end` [s] with a step of this length [s]; 0 where it is to be chosen."""
        del end
        self._next: float = length
        self.failure: StepFailure | None = None
        self._passed: deque[tuple[float, float]] = deque(maxlen=RECENT)
        self._step.forget()
        self._last: tuple[np.ndarray, ...] | None = None

    def advance(
        self, X: np.ndarray, z: np.ndarray, P: np.ndarray, times: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        del z
        states, _, _ = self.attempt(X, P, times)
        if self.failure:
            raise self.failure
        return finite(np.array(states)), None

    def measure(self, scale: ErrorScale) -> None:
        self.scale = self._step.scale = scale

    @property
    def effort(self) -> Effort:
        """What all steps have taken."""
        return self._step.effort

    @property
    def rate(self) -> float:
        """Effort of the last steps in a second of the motion [s/s]."""
        if len(self._passed) < 2:
            return 0.0
        (first, before), (last, after) = self._passed[0], self._passed[-1]
        return (after - before) / (last - first)

    def attempt(
        self, X: np.ndarray, P: np.ndarray, times: np.ndarray, most: float = np.inf
    ) -> tuple[list[np.ndarray], float, np.ndarray]:
        """Return the states at the stops, and the time [s] and state that were reached.

        It ends early at a `failure`, or where the last steps have taken more effort than `most` in a second of the
        motion.
        """
        step, t, X, states = self._step, float(times[0]), np.asarray(X, dtype=float), []
        self.steps, self.failure, begun = 0, None, self.effort.total
        if self._last is None or not all(map(np.array_equal, self._last, (t, X, P))):
            step.forget()  # another segment, whose inputs jump, or another state
        try:
            slope = finite(self._equations.slope(t, X, P))
            self._next = self._next or self._first_step(X, slope, times[-1] - t)
            for stop in times[1:].tolist():
                while t < stop:
                    if self._is_costly(most, t - float(times[0]), self.effort.total - begun):
                        return states, t, X
                    if self._next < 1e-14 * max(abs(t), times[-1] - times[0]):
                        raise StepFailure("the step size had to become too small")
                    if self.steps > self.most_steps:
                        raise StepFailure("it takes more and more steps")
                    parts = max(int(np.ceil((stop - t) / min(self._next, self.longest) * (1 - 1e-9))), 1)
                    h = (stop - t) / parts
                    if step.length and abs(h / step.length - 1) < 1e-9:
                        h = step.length  # with the same factors
                    new, error = step.take(t, X, P, slope, h)
                    self._control(h, error)
                    self.steps += 1
                    if new is not None:
                        t = stop if parts == 1 else t + h
                        X, slope = new, step.slope
                        self._last = np.array(t), X, P.copy()
                        self._passed.append((t, self.effort.total))
                states.append(X)
        except StepFailure as failure:
            self.failure = failure
        except RuntimeError as error:  # of a function of the user
            self.failure = StepFailure.of(error)
        return states, t, X

    def _is_costly(self, most: float, passed: float, effort: float) -> bool:
        """Return whether steps cost more than `most` in a second of the motion, lately or since the attempt began."""
        begun = effort > most * passed + BEGINNING * self.effort.of_step
        return begun or (len(self._passed) == RECENT and self.rate > most)

    def _control(self, h: float, error: float) -> None:
        """Set the next step by the error of one of `h` [s]."""
        if error == np.inf:  # Newton's iteration failed
            self._next = h / 2 if self._step.has_new_jacobian else h
            return
        factor = min(max(SAFETY * max(error, 1e-30) ** (-1 / (self._step.stages + 1)), LEAST), MOST)
        self._next = h if error <= 1.0 <= factor <= WORTHWHILE else h * factor

    def _first_step(self, X: np.ndarray, slope: np.ndarray, span: float) -> float:
        scale = self.scale.of(X)
        rate = norm(slope / scale)
        # From rest an error is small beside a small motion, however small both are.
        first = max(0.01 * max(norm((X - self.scale.origin) / scale), 1.0) / rate, SHORTEST * span) if rate else span
        return min(first, span)


RADAU = Integrator("radau", RadauStepper, differentiates=True)
