"""Step-size control of an explicit Runge-Kutta method: by error estimates, within the border of stability."""

from __future__ import annotations

import numpy as np

from flexblocks.dae.explicit_steps import Pair
from flexblocks.simulation.integrators.driven_equations import DrivenEquations
from flexblocks.simulation.integrators.stepper import ErrorScale

SAFETY, LEAST, MOST = 0.9, 0.2, 5.0
# Steps are kept below this share of what stability of the fastest pole allows, and of one that was refused, lest they
# are refused over and over; the border moves up again, by as much after each call, or to where poles say that it is if
# errors allow so much longer steps.
STABLE, BORDER, RISE, HELD_BACK = 0.98, 0.8, 1.02, 1.5


class ExplicitStepSize:
    """Length of the next steps.

    Attributes
    ----------
    step : float
        [s], before the border; 0 before the first one.
    is_unsettled : bool
        Whether the last step was refused, or could have been much longer.
    longest : float
        [s], that the inputs allow.
    """

    def __init__(self, pair: Pair) -> None:
        self._pair, self.longest = pair, np.inf
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        self.step, self.is_unsettled = 0.0, True
        self._border, self._is_by_refusal = np.inf, False
        self._wanted, self._gap = 0.0, np.inf  # the step that errors allow, and the longest way between stops

    def set_stops(self, times: np.ndarray) -> None:
        """Note the stops ahead [s], at which steps end."""
        self._gap = float(np.max(np.diff(times)))

    @property
    def next(self) -> float:
        """Length of the next step [s] where no stop is near."""
        return min(self.step, self._border, self.longest)

    @property
    def length(self) -> float:
        """Length of the next steps [s], as errors, stability and stops allow; 0 before the first one."""
        length = min(self._wanted, self._border, self._gap, self.longest)
        return self._gap / np.ceil(self._gap / length) if 0.0 < length < self._gap < np.inf else length

    @property
    def is_limited(self) -> bool:
        """Whether steps are as long as errors and stability allow: neither begun, nor ended by stops or inputs."""
        return 0.9 * min(self._wanted, self._border) <= self.step and 0.0 < self.step < min(self._gap, self.longest)

    @property
    def is_held_back(self) -> bool:
        """Whether errors allow much longer steps than the border that a refused one has set."""
        return self._is_by_refusal and not self.is_unsettled and self._wanted > HELD_BACK * self._border

    def stabilize(self, poles: np.ndarray) -> None:
        """Keep steps within the stability of the fastest of these poles [1/s]."""
        fastest = float(np.max(np.abs(poles), initial=0.0))
        self._border, self._is_by_refusal = STABLE * self._pair.reach / fastest if fastest else np.inf, False

    def control(self, errors: np.ndarray, lengths: np.ndarray) -> int:
        """Set the next step by the error estimates of steps (k,); return how many of them are accepted."""
        power = -1 / self._pair.order
        refused = np.flatnonzero(~(errors <= 1.0))
        if len(refused):
            k = int(refused[0])
            factor = SAFETY * errors[k] ** power if np.isfinite(errors[k]) else LEAST
            self._border, self._is_by_refusal, self.is_unsettled = BORDER * lengths[k], True, True
            self.step = self._wanted = min(lengths[k] * max(factor, LEAST), self._border)
            return k
        self._border = RISE * self._border
        k = int(np.argmax(errors * lengths**-self._pair.order))
        factor = SAFETY * max(errors[k], 1e-30) ** power
        # A step that was shortened to end at a stop says little about much longer ones.
        self._wanted = lengths[k] * factor
        self.is_unsettled = min(self._wanted, self._border, self.longest) > MOST * self.step
        self.step = min(self._wanted, MOST * self.step, self._border)
        return len(errors)

    def begin(
        self, equations: DrivenEquations, measure: ErrorScale, t: float, X: np.ndarray, P: np.ndarray, span: float
    ) -> None:
        """Choose the first step of a run over a time `span` [s] (Hairer, Norsett & Wanner, II.4)."""
        scale = measure.of(X)

        def norm(values: np.ndarray) -> float:
            return float(np.sqrt(np.mean((values / scale) ** 2)))

        f0 = equations.slope(t, X, P)
        size, slope = norm(X - measure.origin), norm(f0)
        h = 0.01 * size / slope if size > 1e-5 and slope > 1e-5 else 1e-6
        h = min(h, span) if np.isfinite(h) and h > 0 else 1e-6 * span
        bend = norm(equations.slope(t + h, X + h * f0, P) - f0) / h
        largest = max(slope, bend)
        if not np.isfinite(largest):
            self.step = 1e-6 * span
            return
        longer = (0.01 / largest) ** (1 / self._pair.order) if largest > 1e-15 else max(1e-6, 1e-3 * h)
        self.step = min(100 * h, longer, span)
