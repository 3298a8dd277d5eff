"""Kernel on CasADi's virtual machine, where there is no compiler: the same operations in the same order."""

from __future__ import annotations

from itertools import islice

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.simulation.integrators.buffered_call import BufferedCall
from flexblocks.simulation.integrators.fixed_step import FixedStep
from flexblocks.simulation.stepping.equations import step_functions
from flexblocks.simulation.stepping.kernel import Kernel
from flexblocks.simulation.stepping.schedule import Schedule


class InterpretedKernel(Kernel):
    """Kernel that calls a CasADi function for each step and tick. Use it in one thread only."""

    def __init__(self, dae: DAE, method: FixedStep) -> None:
        functions = step_functions(dae)
        self._step = BufferedCall(_runge_kutta(functions.slope, method))
        self._ticks = [BufferedCall(change) for change in functions.changes]
        self._chart = None if functions.chart is None else BufferedCall(functions.chart)
        for call in self._calls:
            call.arguments[1][:] = dae.z.start

    @property
    def _calls(self) -> list[BufferedCall]:
        return [self._step, *self._ticks, *([] if self._chart is None else [self._chart])]

    def take(
        self,
        schedule: Schedule,
        X: np.ndarray,
        U: np.ndarray,
        p: np.ndarray,
        out: np.ndarray,
        done: np.ndarray,
        runs: slice = slice(None),
    ) -> None:
        for run in range(*runs.indices(len(X))):
            for call in self._calls:
                call.arguments[3][:] = p[run if len(p) > 1 else 0]
            done[run] = self._run(schedule, X[run], U[run if len(U) > 1 else 0], out[run])

    def _run(self, schedule: Schedule, X: np.ndarray, U: np.ndarray, out: np.ndarray) -> int:
        step, after = self._step.arguments, self._step.results[0][0]
        for i, (length, rows) in enumerate(zip(schedule.lengths, schedule.rows, strict=True)):
            try:
                self._tick(schedule.ticking[i], X, U[rows[0]])
                if schedule.kept[i] >= 0:
                    out[schedule.kept[i]] = X
                step[0][:], step[2][:], step[4][:] = X, U[rows], length
                self._step()
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


def _runge_kutta(slope: ca.Function, method: FixedStep) -> ca.Function:
    """Return one step, function (X, z, u of each stage by columns, p, h) -> X."""
    size, stages = slope.size1_out(0), len(method.b)
    X, z, h = ca.MX.sym("X", size), ca.MX.sym("z", slope.size1_in(1)), ca.MX.sym("h")
    u, p = ca.MX.sym("u", slope.size1_in(2), stages), ca.MX.sym("p", slope.size1_in(3))
    slopes: list[ca.MX] = []
    for i, row in enumerate(method.A):
        at = _moved(X, h, row[:i].tolist(), slopes)
        result = slope(at[: size - 1], z, u[:, i], p)
        slopes.append(result[0] if isinstance(result, (tuple, list)) else result)
    return ca.Function("step", [X, z, u, p, h], [_moved(X, h, method.b.tolist(), slopes)])


def _moved(X: ca.MX, h: ca.MX, weights: list[float], slopes: list[ca.MX]) -> ca.MX:
    terms = [weight * slope for weight, slope in zip(weights, slopes, strict=True) if weight]
    return X + h * sum(terms[1:], terms[0]) if terms else X
