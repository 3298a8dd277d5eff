"""Explicit Runge-Kutta methods with error control, for arms whose fastest modes are hardly damped: many steps a call.

The method of order 4 is for loose tolerances, where both are limited by stability (`flexblocks.dae.explicit_steps`).

Nothing is built for the signals or for the spacing of the stops, and no Jacobian.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from flexblocks.dae.explicit_steps import SIZES, Pair, rk8, rk43
from flexblocks.simulation.integrators.buffered_call import BufferedCall, StepCall
from flexblocks.simulation.integrators.driven_equations import BUILDING, DrivenEquations
from flexblocks.simulation.integrators.integrator import Integrator, Options, ProblemKind
from flexblocks.simulation.integrators.stepper import GIVE_UP, StepFailure, Stepper, decays_fast, finite, poles_at
from flexblocks.simulation.integrators.sundials import BDF

SAFETY, LEAST, MOST = 0.9, 0.2, 5.0
# Steps are kept below this share of what stability of the fastest pole allows, and of one that was refused, lest they
# are refused over and over; the border moves up again, by as much after each call.
STABLE, BORDER, RISE = 0.98, 0.8, 1.02
# The decay rate times the step, beyond which a step is limited by stability and not by what moves.
LIMITED = 2.0
# Steps between two looks at the poles.
LOOK = 1000
# Steps planned after one was refused: those behind the next refused one are in vain.
FEW = 16
# A call of compiled steps is not filled up, at the price of them, unless so much of it is needed.
FULL = 0.7


class ExplicitStepper(Stepper):
    """Stepper by an embedded explicit Runge-Kutta method.

    Where the equations become stiff in the course of a run, as in a contact, `otherwise` goes on.

    Parameters
    ----------
    equations : DrivenEquations
    pair : Tableau
    options : Options
    otherwise : callable
        () -> Stepper for stiff equations.
    """

    def __init__(
        self, equations: DrivenEquations, pair: Pair, options: Options, otherwise: Callable[[], Stepper]
    ) -> None:
        self.equations, self.pair, self.options, self.otherwise = equations, pair, options, otherwise
        self.evaluations = len(pair.b) - pair.reuses_last
        self._tolerances = options.rtol, options.atol
        self._chains: dict[int, StepCall] = {}
        self._maps: dict[int, BufferedCall] = {}
        self._stiff: Stepper | None = None
        self.begin()

    def begin(self) -> None:
        self._step, self._border, self._refused, self._since, self._goes_on = 0.0, np.inf, False, 0, False

    def prepare(self, times: np.ndarray) -> None:
        if self._goes_on and self._stiff is not None:
            self._stiff.prepare(times)

    def advance(
        self, X: np.ndarray, z: np.ndarray, P: np.ndarray, times: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        self.steps, states, i = 0, [], 1
        t, X = float(times[0]), np.asarray(X, dtype=float)
        if not self._goes_on and not self._step:
            self._step = self._first_step(t, X, P, times[-1] - times[0])
            self._since = LOOK
        while i < len(times) and not self._goes_on:
            if self._since >= LOOK and self._is_stiff(t, X, P):
                self._goes_on = True
                break
            # Equal steps to each of the next stops, as many as one call takes ...
            ends, lengths, stops = self._plan(t, times[i:])
            new, errors = self._call(X, P, ends - lengths, lengths)
            accepted = self._control(errors, lengths[: len(errors)])
            # ... of which those count that come before the first refused one.
            self.steps += len(errors)
            self._since += accepted
            for k in np.flatnonzero(stops[:accepted]):
                states.append(new[k])
                i += 1
            if accepted:
                t, X = float(ends[accepted - 1]), new[accepted - 1]
            if self._step < 1e-14 * max(abs(t), times[-1] - times[0]):
                raise StepFailure("the step size had to become too small")
            if self.steps > GIVE_UP:
                raise StepFailure("it takes more and more steps")
        if i < len(times):
            if self._stiff is None:
                self._stiff = self.otherwise()
            rest = np.array([t, *times[i:]])
            before = self.steps
            self._stiff.prepare(rest)
            tail, _ = self._stiff.advance(X, z, P, rest)
            self.steps = before + self._stiff.steps
            states.extend(tail)
        return finite(np.array(states)), None

    def _plan(self, t: float, stops: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the ends and lengths of the next steps [s], and which of them end at a stop."""
        ends: list[np.ndarray] = []
        marks: list[np.ndarray] = []
        count, start, most = 0, t, FEW if self._refused else SIZES[-1]
        step = min(self._step, self._border)
        for stop in stops.tolist():
            steps = max(int(np.ceil((stop - start) / step * (1 - 1e-9))), 1)
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

    def _call(
        self, X: np.ndarray, P: np.ndarray, starts: np.ndarray, lengths: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the states (k, nx + 1) after each step, and the estimates of the local errors (k,).

        The steps end with the first that is refused.
        """
        count, own = len(lengths), len(self.equations.dae.p)
        # Few sizes of calls of the inputs; the rest of a call is filled.
        size = next(size for size in SIZES if size >= count)
        when, widths = np.full(size, starts[-1]), np.zeros(size)
        when[:count], widths[:count] = starts, lengths
        try:
            slope = self._slope_at(starts[0], X, P) if self.pair.reuses_last else np.zeros(0)
            u = self._inputs(when, widths, P[own:])[:count] if len(self.equations.dae.u) else np.zeros((count, 0))
        except RuntimeError as error:  # of a function of the user
            raise StepFailure(str(error).strip().splitlines()[-1]) from None
        states, errors, done, at = np.empty((count, len(X))), np.empty(count), 0, np.concatenate([X, slope])
        while done < count:
            size = self._steps_of_a_call(count - done)
            steps, part = self._chain(size), slice(done, done + max((count - done) // size, 1) * size)
            steps.arguments[1][:, 1:], steps.arguments[3][:] = self._tolerances, P[:own]
            done += steps.take(at, lengths[part], u[part], states[part], errors[part])
            if not errors[done - 1] <= 1.0:
                break
            at = steps.arguments[0][0].copy()
        return states[:done], errors[:done]

    def _steps_of_a_call(self, left: int) -> int:
        """Return how many steps to take in one call, with `left` to go.

        To CasADi's virtual machine, or in large equations, a step is so much work that one at a time costs hardly more;
        no chain has to be built. Machine code is entered as rarely as fills little.
        """
        if not self._chained:
            return 1
        above = next((size for size in SIZES if size >= left), SIZES[-1])
        return above if left > FULL * above else max(size for size in SIZES if size <= left)

    def _chain(self, size: int) -> StepCall:
        if size not in self._chains:
            with BUILDING:
                self._chains[size] = StepCall(self.equations.dae.steps(self.pair.name, size))
        return self._chains[size]

    def _slope_at(self, t: float, X: np.ndarray, P: np.ndarray) -> np.ndarray:
        return np.array(self.equations.rates(t, X, P)).ravel()

    def _inputs(self, starts: np.ndarray, lengths: np.ndarray, segment: np.ndarray) -> np.ndarray:
        """Return the inputs at the nodes of each step (size, nodes * nu)."""
        nodes, places = self._nodes
        times = (starts[:, None] + lengths[:, None] * nodes).ravel()
        inputs = self.equations.input
        if not inputs.is_a("SXFunction"):  # an exception of a function that is called back passes through a plain call
            u = np.array(inputs(times[None, :], segment)).T
        else:
            if times.size not in self._maps:
                with BUILDING:
                    self._maps[times.size] = BufferedCall(inputs.map(times.size))
            call = self._maps[times.size]
            call.arguments[0][:, 0], call.arguments[1][:] = times, segment
            call()
            (u,) = call.results
        return u.reshape(len(starts), len(nodes), -1)[:, places].reshape(len(starts), -1)

    @cached_property
    def _chained(self) -> bool:
        return self.equations.dae.chains_steps

    @cached_property
    def _nodes(self) -> tuple[np.ndarray, np.ndarray]:
        """The distinct nodes, and which of them each one is."""
        return np.unique(self.pair.nodes, return_inverse=True)

    def _control(self, errors: np.ndarray, lengths: np.ndarray) -> int:
        """Set the next step by the error estimates; return how many of the steps are accepted."""
        power = -1 / self.pair.order
        refused = np.flatnonzero(~(errors <= 1.0))
        if len(refused):
            k = int(refused[0])
            factor = SAFETY * errors[k] ** power if np.isfinite(errors[k]) else LEAST
            self._border, self._refused = BORDER * lengths[k], True
            self._step = min(lengths[k] * max(factor, LEAST), self._border)
            return k
        self._border, self._refused = RISE * self._border, False
        k = int(np.argmax(errors * lengths**-self.pair.order))
        factor = SAFETY * max(errors[k], 1e-30) ** power
        # A step that was shortened to end at a stop says little about much longer ones.
        self._step = min(lengths[k] * factor, MOST * self._step, self._border)
        return len(errors)

    def _first_step(self, t: float, X: np.ndarray, P: np.ndarray, span: float) -> float:
        """Return the length of the first step [s] (Hairer, Norsett & Wanner, II.4)."""
        scale = self.options.atol + self.options.rtol * np.abs(X)

        def norm(values: np.ndarray) -> float:
            return float(np.sqrt(np.mean((values / scale) ** 2)))

        try:
            f0 = self._slope_at(t, X, P)
            size, slope = norm(X), norm(f0)
            h = 0.01 * size / slope if size > 1e-5 and slope > 1e-5 else 1e-6
            h = min(h, span) if np.isfinite(h) and h > 0 else 1e-6 * span
            bend = norm(self._slope_at(t + h, X + h * f0, P) - f0) / h
        except RuntimeError as error:
            raise StepFailure(str(error).strip().splitlines()[-1]) from None
        largest = max(slope, bend)
        if not np.isfinite(largest):
            return 1e-6 * span
        longer = (0.01 / largest) ** (1 / self.pair.order) if largest > 1e-15 else max(1e-6, 1e-3 * h)
        return min(100 * h, longer, span)

    def _is_stiff(self, t: float, X: np.ndarray, P: np.ndarray) -> bool:
        """Return whether stability of the fastest decay, and not what moves, limits the steps; look at the poles."""
        self._since, poles = 0, poles_at(self.equations.rates, t, X, P)
        fastest = float(np.max(np.abs(poles), initial=0.0))
        self._border = STABLE * self.pair.reach / fastest if fastest else np.inf
        return len(poles) > 0 and decays_fast(poles) and float(np.max(-np.real(poles))) * self._step > LIMITED


def _stepper(equations: DrivenEquations, options: Options, pair: Pair) -> ExplicitStepper:
    return ExplicitStepper(equations, pair, options, lambda: BDF.stepper(equations, options))


RK43 = Integrator(
    "rk43", lambda equations, options: _stepper(equations, options, rk43()), suits=ProblemKind.ROUGHLY_OSCILLATING
)
RK8 = Integrator("rk8", lambda equations, options: _stepper(equations, options, rk8()), suits=ProblemKind.OSCILLATING)
