"""Explicit and implicit method in turns: whichever takes the lesser effort, as predicted from steps taken.

Stability binds the steps of an explicit method to the fastest mode. Where that hardly moves, an implicit method of high
order takes steps a dozen times as long, of several times the effort. Which one pays changes as an arm extends, and
with what its modes do: so the implicit method is tried where much is left to do, and the explicit one's effort follows
from the poles meanwhile. Efforts are counted, not timed: the same run has the same digits on every machine.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexblocks.dae.explicit_steps import Pair, rk8, rk43
from flexblocks.simulation.integrators.driven_equations import DrivenEquations
from flexblocks.simulation.integrators.explicit_runge_kutta import ExplicitStepper, explicit_stepper
from flexblocks.simulation.integrators.integrator import Integrator, Options, ProblemKind
from flexblocks.simulation.integrators.radau import RadauStepper
from flexblocks.simulation.integrators.stepper import ErrorScale, Stepper, finite

# A trial is made where what the explicit method has left to do is so many times the derivation of the Jacobian, and
# again when a fifth of the run has passed, or the effort has doubled.
WORTH_TRYING, PASSED, DOUBLED = 8.0, 0.2, 2.0
# Runs that take less [s] are the explicit method's.
SHORT = 0.2
# Advances before the first trial. Errors of the first one are measured by a motion that has no size yet.
BEGINNING = 2
# The first step of a trial, in those of the explicit method.
LONGER = 5.0


class SwitchingStepper(Stepper):
    """Stepper by an explicit Runge-Kutta method or a Radau IIA method, whichever takes the lesser effort.

    Parameters
    ----------
    equations : DrivenEquations
    options : Options
    explicit : ExplicitStepper
    """

    def __init__(self, equations: DrivenEquations, options: Options, explicit: ExplicitStepper) -> None:
        self.explicit, self.implicit = explicit, RadauStepper(equations, options)
        self.evaluations = explicit.evaluations
        self.begin(np.inf)

    def begin(self, end: float) -> None:
        self.explicit.begin(end)
        self._end, self._is_implicit, self._next, self._tried = end, False, -np.inf, 0.0
        self._advances = 0

    def keep_gaps(self, gap: float) -> None:
        self.explicit.keep_gaps(gap)
        self.implicit.keep_gaps(gap)

    def measure(self, scale: ErrorScale) -> None:
        self.explicit.measure(scale)
        self.implicit.measure(scale)

    def prepare(self, times: np.ndarray) -> None:
        if not self._is_implicit:
            self.explicit.prepare(times)

    def advance(
        self, X: np.ndarray, z: np.ndarray, P: np.ndarray, times: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        states: list[np.ndarray] = []
        t, steps = float(times[0]), 0
        if self._advances >= BEGINNING:
            self._choose(t, X, P)
        self._advances += 1
        self.explicit.most_steps = self.implicit.most_steps = self.most_steps
        if self._is_implicit:
            states, t, X = self.implicit.attempt(X, P, times, self.explicit.rate)
            steps = self.implicit.steps
            if len(states) < len(times) - 1:
                self._leave(t)
        if len(states) < len(times) - 1:
            rest = np.array([t, *times[len(states) + 1 :]])
            tail, _ = self.explicit.advance(X, z, P, rest)
            states.extend(tail)
            steps += self.explicit.steps
        self.steps = steps
        return finite(np.array(states)), None

    def _choose(self, t: float, X: np.ndarray, P: np.ndarray) -> None:
        """Choose the method of the next part of the run, from `X` at `t` [s]."""
        explicit, implicit = self.explicit, self.implicit
        if self._is_implicit:
            explicit.look(t, X, P)
            if explicit.rate < implicit.rate:
                self._leave(t)
        elif explicit.is_limited and (t >= self._next or explicit.rate > DOUBLED * self._tried):
            left = (self._end - t) * explicit.rate
            if left > max(WORTH_TRYING * implicit.effort.beginning, SHORT):
                implicit.start(self._end, LONGER * explicit.size.length)
                self._is_implicit, self._tried = True, explicit.rate

    def _leave(self, t: float) -> None:
        """Go on with the explicit method, and try the implicit one again later."""
        self._is_implicit, self._next = False, t + PASSED * (self._end - t)


def _integrator(name: str, pair: Callable[[], Pair], kind: ProblemKind) -> Integrator:
    def stepper(equations: DrivenEquations, options: Options) -> Stepper:
        return SwitchingStepper(equations, options, explicit_stepper(equations, options, pair()))

    return Integrator(name, stepper, suits=kind, differentiates=True)


RK8_RADAU = _integrator("rk8-radau", rk8, ProblemKind.OSCILLATING)
RK43_RADAU = _integrator("rk43-radau", rk43, ProblemKind.ROUGHLY_OSCILLATING)
