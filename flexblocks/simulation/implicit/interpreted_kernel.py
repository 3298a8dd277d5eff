"""The implicit integrator on CasADi's virtual machine and LAPACK: the algorithm of kernel/, without a compiler."""

from __future__ import annotations

import numpy as np

from flexblocks.simulation.implicit.dense_output import DenseOutput
from flexblocks.simulation.implicit.integration import Integration
from flexblocks.simulation.implicit.interpreted_alpha import alpha_step
from flexblocks.simulation.implicit.interpreted_radau import radau_step
from flexblocks.simulation.implicit.newton_matrix import SingularMatrix
from flexblocks.simulation.implicit.radau_three import STAGES, radau_three
from flexblocks.simulation.implicit.settings import (
    DONE,
    NEWTON,
    PAUSED,
    SINGULAR,
    START,
    ImplicitProblem,
    KernelState,
)

# Halvings of a step before a run gives up.
HALVINGS = 16


class InterpretedKernel:
    """One integration, as `flexblocks.simulation.implicit.compiled_kernel.CompiledKernel`.

    Parameters
    ----------
    problem : ImplicitProblem
    """

    def __init__(self, problem: ImplicitProblem) -> None:
        self._problem, self.integration = problem, Integration(problem)
        self._dense = DenseOutput(self.integration, problem.times)
        self._next, self._refused, self._level = 0.0, 0, 0
        self._part, self._origin = 0, 0.0

    @property
    def outputs(self) -> np.ndarray:
        """What was written at the output times (k, ...)."""
        return self._dense.rows

    @property
    def state(self) -> KernelState:
        """Where the integration is."""
        at = self.integration
        x, rates, multipliers, z, work = (part.copy() for part in (at.x, at.rates, at.multipliers, at.z, at.work))
        return KernelState(at.t, x, rates, multipliers, z, work, dict(at.counts), self._dense.written)

    def begin(self, t: float, segment: int, x: np.ndarray, z: np.ndarray, rates: np.ndarray | None = None) -> None:
        """Begin at a state x (nx,) with guesses z (nz,) at `t` [s]; `rates` (n + nw,) that are not solved for."""
        self.integration.set_state(t, segment, x, z, rates)

    def run(self, until: float, most: int) -> int:
        """Go on to a time [s], for at most so many steps; return how that ended."""
        try:
            return self._run(until, most)
        except SingularMatrix:
            return SINGULAR

    def _run(self, until: float, most: int) -> int:
        at, ends, settings = self.integration, self._problem.inputs.ends, self._problem.settings
        slack = 1e-12 * max(abs(ends[0]), abs(ends[-1]))
        before = at.counts["steps"] + at.counts["rejected"]
        while True:
            if not at.is_started:
                if not at.start():
                    return START
                self._dense.restart()
                self._part, self._origin, self._level = 0, at.t, 0
                if settings.step is None and not self._next:
                    n = len(at.x) - len(at.rates)
                    fastest = float(np.max(np.abs(at.rates[:n]) * at.weight[:n], initial=1e-300))
                    self._next = np.sqrt(settings.tolerance / fastest)
            end = float(ends[at.segment + 1])
            parts = max(int(np.ceil((end - self._origin) / (settings.step or np.inf) * (1 - 1e-9))), 1)
            while at.t < end - slack:
                if at.counts["steps"] + at.counts["rejected"] - before >= most:
                    return PAUSED
                if settings.step is None:
                    status = self._adaptive_step(end)
                else:
                    h = (end - self._origin) / parts
                    status = self.equal_step(h, settings.radau)
                    if status == DONE:
                        self._part += 1
                        at.t = end if self._part == parts else self._origin + self._part * h
                if status != DONE:
                    return status
            at.t = end
            last = at.segment + 2 == len(ends)
            if end >= until - slack or last:
                self._dense.write(also=last)
                at.leave()
                return DONE
            at.leave()
            at.segment += 1

    def equal_step(self, h: float, radau: bool = False) -> int:
        """Take one of equal steps, in parts where Newton's iteration does not converge."""
        at, sub = self.integration, 0
        while True:
            parts = 2**self._level
            is_radau = radau and self._level == 0
            status = radau_step(at, h / parts)[0] if is_radau else alpha_step(at, h / parts)
            if status != DONE:
                at.counts["rejected"] += 1
                if at.is_fresh or status == SINGULAR:
                    self._level += 1
                    if self._level > HALVINGS:
                        return status
                    at.counts["fallbacks"] += radau and self._level == 1
                    sub *= 2
                at.forget_matrices()
                continue
            good = not at.is_fresh
            at.is_fresh = False
            if self._level:
                at.polynomial = None
            sub += 1
            self._dense.write()
            if sub >= parts:
                self._level -= bool(self._level and good)
                return DONE
            if self._level and good and sub % 2 == 0:
                self._level -= 1
                sub //= 2

    def _adaptive_step(self, end: float) -> int:
        """Take a step of Radau IIA that keeps the tolerance, or fail to, and choose the next one."""
        at, tolerance = self.integration, self._problem.settings.tolerance
        left, h = end - at.t, self._next
        count = np.ceil(left / h * (1 - 1e-9))
        h = left if count <= 1 else left / count if count < 4 else h
        if at.factored and abs(h / at.factored[0] - 1) < 1e-9:
            h = at.factored[0]
        size = max(abs(at.t), abs(end))
        status, error = radau_step(at, h)
        if status != DONE:
            at.counts["rejected"] += 1
            if at.is_fresh or status == SINGULAR:
                self._next, self._refused = h / 2, self._refused + 1
                if at.m and self._refused > 2:  # a change point of loops
                    at.counts["fallbacks"] += 1
                    self._level = self._parts_of_alpha(min(4 * h, left))
                    status = self.equal_step(min(4 * h, left), radau=False)
                    self._refused = self._level = 0
                    if status != DONE:
                        return status
            at.polynomial = None
            at.forget_matrices()
            return NEWTON if h < 1e-14 * size else DONE
        self._refused = 0
        factor = float(np.clip(0.9 * max(error / tolerance, 1e-10) ** (-1 / (STAGES + 2)), 0.2, 5.0))
        if error > tolerance:
            at.counts["rejected"] += 1
            self._next, at.is_fresh = h * factor, False
            return NEWTON if h < 1e-14 * size else DONE
        self._next = h if 1 <= factor < 1.2 else h * factor
        self._dense.write()
        return DONE

    def _parts_of_alpha(self, h: float) -> int:
        """Return the steps of alpha, as a power of two, whose errors keep the tolerance as accelerations changed."""
        at, jerk = self.integration, 1e-300
        if at.polynomial is not None:
            n, c = len(at.x) - len(at.rates), radau_three().c
            change = np.abs(at.polynomial[0][2, :n] - at.polynomial[0][0, :n]) / ((c[2] - c[0]) * at.previous_step)
            jerk = max(jerk, float(np.max(change * at.weight[:n], initial=0.0)))
        longest = np.cbrt(12 * self._problem.settings.tolerance / jerk)
        return int(np.clip(np.ceil(np.log2(h / longest)), 3, 10))
