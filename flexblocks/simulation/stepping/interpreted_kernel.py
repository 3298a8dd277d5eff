"""Kernel on CasADi's virtual machine, where there is no compiler: the same operations in the same order."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.simulation.implicit.held_steps import HeldSteps, step_problem
from flexblocks.simulation.integrators.buffered_call import BufferedCall
from flexblocks.simulation.integrators.fixed_step import FixedStep
from flexblocks.simulation.stepping.equations import step_functions
from flexblocks.simulation.stepping.kernel import Kernel
from flexblocks.simulation.stepping.schedule import Schedule


class InterpretedKernel(Kernel):
    """Kernel that calls a CasADi function for each step and tick. Use it in one thread only."""

    def __init__(self, dae: DAE, method: FixedStep) -> None:
        functions = step_functions(dae, method)
        self._step = None if functions.slope is None else BufferedCall(_step(functions.slope, method))
        radius = method.spectral_radius
        self._problem, self._z = None if radius is None else step_problem(dae, radius), dae.z.start
        self._ticks = [BufferedCall(change) for change in functions.changes]
        self._chart = None if functions.chart is None else BufferedCall(functions.chart)
        for call in self._calls:
            call.arguments[1][:] = dae.z.start

    @property
    def _calls(self) -> list[BufferedCall]:
        return [call for call in (self._step, *self._ticks, self._chart) if call is not None]

    def memory(self) -> HeldSteps | None:
        return None if self._problem is None else HeldSteps(self._problem)

    def take(
        self,
        schedule: Schedule,
        X: np.ndarray,
        U: np.ndarray,
        p: np.ndarray,
        out: np.ndarray,
        done: np.ndarray,
        runs: slice = slice(None),
        memory: HeldSteps | None = None,
    ) -> None:
        for run in range(*runs.indices(len(X))):
            for call in self._calls:
                call.arguments[3][:] = p[run if len(p) > 1 else 0]
            advance = self._advance(p[run if len(p) > 1 else 0], self.memory() if memory is None else memory)
            done[run] = self._run(schedule, X[run], U[run if len(U) > 1 else 0], out[run], advance)

    def _advance(
        self, p: np.ndarray, memory: HeldSteps | None
    ) -> Callable[[np.ndarray, np.ndarray, float], np.ndarray]:
        """Return the function (X, u of each stage, h) -> X after a step, for parameters p (np,)."""
        step = self._step
        if step is None:
            assert memory is not None
            return lambda X, u, h: memory.advance(X, u[0], p, h)

        def advance(X: np.ndarray, u: np.ndarray, h: float) -> np.ndarray:
            step.arguments[0][:], step.arguments[2][:], step.arguments[4][:] = X, u, h
            step()
            return step.results[0][0]

        return advance

    def _run(
        self,
        schedule: Schedule,
        X: np.ndarray,
        U: np.ndarray,
        out: np.ndarray,
        advance: Callable[[np.ndarray, np.ndarray, float], np.ndarray],
    ) -> int:
        for i, (length, rows) in enumerate(zip(schedule.lengths, schedule.rows, strict=True)):
            try:
                self._tick(schedule.ticking[i], X, U[rows[0]])
                if schedule.kept[i] >= 0:
                    out[schedule.kept[i]] = X
                after = advance(X, U[rows], length)
            except RuntimeError:  # Newton's method for the algebraic variables
                return i
            X[:] = after
            if not np.all(np.isfinite(after)):
                return i
        return len(schedule)

    def _tick(self, ticking: np.ndarray, X: np.ndarray, u: np.ndarray) -> None:
        changes = []
        for call in (call for call, ticks in zip(self._ticks, ticking, strict=True) if ticks):
            call.arguments[0][:], call.arguments[2][:] = X[:-1], u
            call()
            changes.append(call.results[0][0].copy())
        if changes:
            X[:-1] += sum(islice(changes, 1, None), changes[0])
        if self._chart is not None:
            self._chart.arguments[0][:] = X[:-1]
            self._chart()
            X[:-1] += self._chart.results[0][0]


def _step(slope: ca.Function, method: FixedStep) -> ca.Function:
    """Return one step, function (X, z, u of each stage by columns, p, h) -> X."""
    size, stages = slope.size1_out(0), method.evaluations
    X, z, h = ca.MX.sym("X", size), ca.MX.sym("z", slope.size1_in(1)), ca.MX.sym("h")
    u, p = ca.MX.sym("u", slope.size1_in(2), stages), ca.MX.sym("p", slope.size1_in(3))
    if not method.stages:
        return ca.Function("step", [X, z, u, p, h], [X + h * slope(X[: size - 1], z, u, p, h)])
    slopes: list[ca.MX] = []
    for i, row in enumerate(method.A):
        at = _moved(X, h, row[:i].tolist(), slopes)
        result = slope(at[: size - 1], z, u[:, i], p)
        slopes.append(result[0] if isinstance(result, (tuple, list)) else result)
    return ca.Function("step", [X, z, u, p, h], [_moved(X, h, method.b.tolist(), slopes)])


def _moved(X: ca.MX, h: ca.MX, weights: list[float], slopes: list[ca.MX]) -> ca.MX:
    terms = [weight * slope for weight, slope in zip(weights, slopes, strict=True) if weight]
    return X + h * sum(terms[1:], terms[0]) if terms else X
