"""Chains of steps of an explicit Runge-Kutta method: as many in one call as pays."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from flexblocks.dae.explicit_steps import SIZES, Pair
from flexblocks.simulation.integrators.buffered_call import StepCall
from flexblocks.simulation.integrators.driven_equations import BUILDING, DrivenEquations
from flexblocks.simulation.integrators.input_values import InputValues
from flexblocks.simulation.integrators.stepper import ErrorScale

# A call of compiled steps is not filled up, at the price of them, unless so much of it is needed.
FULL = 0.7


class StepChains:
    """Steps of one pair, taken one after the other."""

    def __init__(self, equations: DrivenEquations, pair: Pair) -> None:
        self._equations, self._pair = equations, pair
        self._values = InputValues(equations)
        self._chains: dict[int, StepCall] = {}

    def take(
        self,
        X: np.ndarray,
        P: np.ndarray,
        scale: ErrorScale,
        starts: np.ndarray,
        lengths: np.ndarray,
        ticking: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the states (k, nx + 1) after each step, those at its start after ticks, and the local errors (k,).

        The steps end with the first that is refused. P (size, k) are the parameters of the equations in each, ticking
        (k, clocks) says which clocks tick at its start.
        """
        dae, count = self._equations.dae, len(lengths)
        parameters = len(dae.p)
        # Few sizes of calls of the inputs; the rest of a call is filled.
        size = next(size for size in SIZES if size >= count)
        when, widths = np.full(size, starts[-1]), np.zeros(size)
        when[:count], widths[:count] = starts, lengths
        segments = np.repeat(P[parameters:, -1:], size, axis=1)
        segments[:, :count] = P[parameters:]
        slope = self._equations.slope(starts[0], X, P[:, 0]) if self._pair.reuses_last else np.zeros(0)
        u = self._inputs(when, widths, segments)[:count] if len(dae.u) else np.zeros((count, 0))
        states, begun, errors = np.empty((count, len(X))), np.empty((count, len(X))), np.empty(count)
        done, at = 0, np.concatenate([X, slope])
        while done < count:
            size = self._steps_of_a_call(count - done)
            steps, part = self._chain(size), slice(done, done + max((count - done) // size, 1) * size)
            steps.arguments[1][:, 1:3], steps.arguments[3][:] = (scale.rtol, scale.atol), P[:parameters, 0]
            steps.arguments[4][:] = np.concatenate([scale.origin, scale.furthest, scale.least])
            results = states[part], begun[part], errors[part]
            done += steps.take(at, lengths[part], ticking[part], u[part], *results)
            if not errors[done - 1] <= 1.0:
                break
            at = steps.arguments[0][0].copy()
        return states[:done], begun[:done], errors[:done]

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
                self._chains[size] = StepCall(self._equations.dae.steps(self._pair.name, size))
        return self._chains[size]

    def _inputs(self, starts: np.ndarray, lengths: np.ndarray, segments: np.ndarray) -> np.ndarray:
        """Return the inputs at the nodes of each step (size, nodes * nu), with the parameters of its segment."""
        nodes, places = self._nodes
        times = (starts[:, None] + lengths[:, None] * nodes).ravel()
        u = self._values.at(times, np.repeat(segments, len(nodes), axis=1))
        return u.reshape(len(starts), len(nodes), -1)[:, places].reshape(len(starts), -1)

    @cached_property
    def _chained(self) -> bool:
        return self._equations.dae.is_chained

    @cached_property
    def _nodes(self) -> tuple[np.ndarray, np.ndarray]:
        """The distinct nodes, and which of them each one is."""
        return np.unique(self._pair.nodes, return_inverse=True)
