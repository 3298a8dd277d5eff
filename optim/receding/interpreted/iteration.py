"""One real-time iteration of nonlinear model predictive control in NumPy; what the kernel's `iterate` does in C."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any

import casadi as ca
import numpy as np

from ..layout import COUNTERS
from .condensed_qp import Solver
from .horizon import Horizon, References
from .intervals import Intervals, StepError
from .memory import Plan

# An input counts as saturated this near to a limit, as a share of its size.
NEAR = 1e-6


class TooLate(StepError):
    """The deadline of this sample has passed."""


@dataclass
class Sample:
    """A sample that is worked at.

    Attributes
    ----------
    p : ndarray
        Parameters.
    clock : callable
    until : float
        When it has to be done, by the clock [s].
    limited : bool
        Whether a reference is so far away that it pulls no harder.
    """

    p: np.ndarray
    clock: Callable[[], float]
    until: float
    limited: bool = False

    @property
    def is_late(self) -> bool:
        return bool(np.isfinite(self.until)) and self.clock() > self.until

    def check(self) -> None:
        """Raise `TooLate` behind the deadline."""
        if self.is_late:
            raise TooLate("the deadline has passed")


@dataclass(frozen=True, eq=False)
class Iteration:
    """An iteration.

    Attributes
    ----------
    functions, sizes, constants : dict
        As `iteration_source` takes them.
    clock : callable
        Time [s], by which a deadline is kept.
    """

    functions: Mapping[str, ca.Function]
    sizes: Mapping[str, int]
    constants: Mapping[str, Any]
    clock: Callable[[], float] = perf_counter

    @cached_property
    def horizon(self) -> Horizon:
        return Horizon(self.functions, self.sizes, self.constants)

    @property
    def _intervals(self) -> Intervals:
        return self.horizon.intervals

    @property
    def _step(self) -> float:
        return float(self.constants["GRID"][0])

    @property
    def _release(self) -> float:
        """From a sample to the moment in it at which the next command on its way takes effect [s]."""
        return float(self.constants["RELEASE"])

    def iterate(self, m: Plan, measured: np.ndarray, now: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Change a memory by a sample and return the command (nu,).

        Parameters
        ----------
        m : Plan
        measured : ndarray (nx,)
        now : ndarray (k,)
            References where they are known only now.
        p : ndarray
        """
        deadline = float(self.constants["DEADLINE"])
        sample = Sample(p, self.clock, self.clock() + deadline if np.isfinite(deadline) else np.inf)
        with np.errstate(all="ignore"):
            m.count("steps")
            begun, references = m.clock[1] > 0.5, self.horizon.look_ahead(m, now)
            if begun:
                self._shift(m)
            if references is None or not np.all(np.isfinite(measured)):
                # Nothing is known of this sample: the last command goes on.
                m.count("unknown_samples")
                command = m.last.copy()
                m.predicted[:] = np.nan  # so that the next one says nothing of forces
            else:
                if begun:
                    self._estimate(m, measured, p)
                x = self._arrival(m, measured, p, begun)
                if not begun:
                    self._reset(m, x, sample)
                    m.clock[1] = 1.0
                command = self._saturated(m, self._command(m, x, references, sample))
                if not self.sizes["WAITING"]:
                    m.predicted[:] = m.xs[1]
                elif self.sizes["WAITING"] == 1 and self._release < self._step:
                    self._expect(m, x, command, p)
        if self.sizes["WAITING"]:
            m.pending[:-2] = m.pending[1:-1]
            m.pending[-2] = command
        m.clock[0] += self._step
        return command

    def _command(self, m: Plan, x: np.ndarray, references: References, sample: Sample) -> np.ndarray:
        """Return the command that a plan from x begins with, or that of a fall-back."""
        planned = m.us[0].copy()
        try:
            try:
                self._iteration(m, x, references, sample, "resets")
            except TooLate:
                raise
            except StepError:
                # A second iteration, from the plan of the stabilising law.
                self._reset(m, x, sample)
                m.count("second_iterations")
                self._iteration(m, x, references, sample)
        except StepError as error:
            m.clock[2] += 1.0
            shifted = m.clock[2] <= self.sizes["SHIFTS"]
            m.count("shifted_plans" if shifted else "stabilised")
            command = planned if shifted else self._stabilizing(x, sample.p, m.force)
            if isinstance(error, TooLate):
                m.count("late_samples")  # the plan stays, shifted
            else:
                self._reset(m, x, sample)
        else:
            m.clock[2] = 0.0
            command = m.us[0].copy()
        m.count("limited_references", sample.limited)
        return command

    def _iteration(self, m: Plan, x: np.ndarray, references: References, sample: Sample, counter: str = "") -> None:
        """Take the step of one quadratic programme; count a plan around which there is none.

        Raises
        ------
        StepError
        """
        try:
            made = self.horizon.linearized(m, x, references, sample)
            if not made.defect < self.constants["FARTHEST"]:
                raise StepError("the state is too far from the plan")
        except TooLate:
            raise
        except StepError:
            if counter:
                m.count(counter)
            raise
        solver = Solver(self.constants, self.sizes["QP_LIMIT"], sample.check)
        try:
            self.horizon.changed(m, made, *solver.solved(made.qp, self.sizes["NLIM"]))
        finally:
            m.count("qp_iterations", solver.iterations)
            most = COUNTERS.index("most_qp_iterations")
            m.counters[most] = max(m.counters[most], solver.iterations)

    def _arrival(self, m: Plan, measured: np.ndarray, p: np.ndarray, begun: bool) -> np.ndarray:
        """Return the state at which the command takes effect; keep what the next sample should find."""
        x = measured
        for j in range(self.sizes["WAITING"]):
            try:
                K = m.K[0] if begun else np.zeros_like(m.K[0])
                x, _ = self._intervals.advanced(x, m.pending[j], K, self._step if j else self._release, p, m.force)
            except StepError:
                x = measured
            if j == 0 and self._release == self._step:
                m.predicted[:] = x
            elif j == 0 and self.sizes["WAITING"] > 1:
                self._expect(m, x, m.pending[1], p)
        return x

    def _expect(self, m: Plan, x: np.ndarray, u: np.ndarray, p: np.ndarray) -> None:
        """Keep what the next sample should find, from x on, where u begins to act within this one."""
        try:
            m.predicted[:], _ = self._intervals.advanced(x, u, m.K[0], self._step - self._release, p, m.force)
        except StepError:
            m.predicted[:] = np.nan

    def _stabilizing(self, x: np.ndarray, p: np.ndarray, force: np.ndarray) -> np.ndarray:
        """Return the inputs that hold the driven coordinates and brake them."""
        u = self.functions["STABILISING"](x, p, force)[0].full().ravel()
        return np.clip(np.where(np.isfinite(u), u, 0.0), self.constants["ULOW"], self.constants["UHIGH"])

    def _reset(self, m: Plan, x: np.ndarray, sample: Sample) -> None:
        """Plan from x what the stabilising law makes; where that cannot be, or too late, the arm stays where it is."""
        n, grid, rate, p = self.sizes["NQ"], self.constants["GRID"], self.constants["RATE"], sample.p
        m.xs[0] = x
        for k, H in enumerate(grid):
            before = m.us[k - 1] if k else m.last
            low, high = (
                np.clip(before + sign * rate * H, self.constants["ULOW"], self.constants["UHIGH"]) for sign in (-1, 1)
            )
            try:
                sample.check()
                m.xs[k + 1], m.us[k], m.K[k] = self._intervals.settled(
                    self.functions["STABILISING"], m.xs[k], (low, high), float(H), p, m.force
                )
            except StepError:
                held = m.us[k - 1] if k and sample.is_late else self._stabilizing(m.xs[k], p, m.force)
                m.us[k] = np.clip(held, low, high)
                m.K[k], m.xs[k + 1] = 0.0, m.xs[k]
                m.xs[k + 1, n : 2 * n] = 0.0

    def _shift(self, m: Plan) -> None:
        share = np.minimum(1.0, self._step / self.constants["GRID"])[:, None]
        m.xs[:-1] += share * np.diff(m.xs, axis=0)
        m.us[:-1] += share[:-1] * np.diff(m.us, axis=0)
        m.K[:-1] += share[:-1] * np.diff(m.K, axis=0)

    def _estimate(self, m: Plan, x: np.ndarray, p: np.ndarray) -> None:
        """Estimate a constant force by a regularised least-squares step, each force in units of its own effect."""
        count, scale, share = self.sizes["NF"], self.constants["SIGMA"], float(self.constants["FILTER"])
        # Where coordinates change, or measurements jump, it says nothing.
        if not share > 0 or not np.all(np.abs(x - m.predicted) < self.constants["FARTHEST"] * scale):
            return
        H, first = np.array([self._step]), self._intervals.columns
        try:
            JK = self._intervals.linearized(m.xs[:1], m.us[:1], m.K[:1], H, p, m.force, of=count)
        except StepError:
            return
        G = self._intervals.ends_moved(JK, H, columns=slice(first, first + count))[0] / scale[:, None]
        norms = np.linalg.norm(G, axis=0)
        size = np.divide(1.0, norms, out=np.zeros(count), where=norms > 0)
        G = G * size
        step = np.linalg.solve(
            G.T @ G + self.constants["REGULARISED"] * np.eye(count), G.T @ ((x - m.predicted) / scale)
        )
        if np.all(np.isfinite(step)):
            m.force += share * size * step

    def _saturated(self, m: Plan, u: np.ndarray) -> np.ndarray:
        c = self.constants
        low, high = (
            np.maximum(c["ULOW"], m.last - c["RATE"] * self._step),
            np.minimum(c["UHIGH"], m.last + c["RATE"] * self._step),
        )
        u = np.maximum(low, np.minimum(high, u))
        m.count("saturated", bool(np.any((u <= low + NEAR * c["SIZE"]) | (u >= high - NEAR * c["SIZE"]))))
        m.last[:] = m.us[0] = u
        return u
