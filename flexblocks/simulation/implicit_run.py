"""One run of the implicit methods: a kernel goes from clock to clock; here are its checks, and its record."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from flexblocks.dae.compiler import CompilerError
from flexblocks.errors import ComputationError
from flexblocks.interrupt import Interrupt, answered
from flexblocks.simulation.checks.bounds import Bounds
from flexblocks.simulation.checks.chart_changes import ChartChanges
from flexblocks.simulation.checks.singularities import Singularities
from flexblocks.simulation.chunks import Pace
from flexblocks.simulation.implicit.compiled_kernel import CompiledKernel
from flexblocks.simulation.implicit.damped_modes import damped_frequencies
from flexblocks.simulation.implicit.displacements import displacements
from flexblocks.simulation.implicit.input_table import input_table
from flexblocks.simulation.implicit.interpreted_kernel import InterpretedKernel
from flexblocks.simulation.implicit.settings import (
    FAILURES,
    PAUSED,
    ImplicitProblem,
    ImplicitSettings,
    refuse_what_it_cannot,
)
from flexblocks.simulation.implicit.slow_start import Given, on_slow_manifold
from flexblocks.simulation.integrators.driven_equations import BUILDING
from flexblocks.simulation.integrators.stepper import StepFailure
from flexblocks.simulation.run import Record
from flexblocks.simulation.system import System

LOG = logging.getLogger("flexblocks.simulation")

# Steps of the first call of a kernel; each call may take so many seconds, within which Ctrl-C is answered.
FIRST, CALL = 16, 0.2
# Share of the tolerance that the error of a step may have, as errors of steps accumulate.
OF_TOLERANCE = 0.1
ADVICE = "Check start values and parameters; a shorter step= or spectral_radius=0.0 may pass where the motion snaps."


@dataclass(frozen=True)
class ImplicitOptions:
    """Options of the implicit methods, as of `flexblocks.simulate`.

    Attributes
    ----------
    rtol : float
        Local errors of displacements, as a share of the arm's length.
    atol : float or None
        The same [m].
    step : float or None
        [s]
    spectral_radius : float
    slow : bool
        Whether the motion starts on the slow manifold.
    """

    rtol: float
    atol: float | None
    step: float | None
    spectral_radius: float
    slow: bool


@dataclass(frozen=True)
class ImplicitRun:
    """Integration of one run over the output `times` (k,) [s]."""

    system: System
    options: ImplicitOptions
    bounds: Bounds
    singularities: Singularities
    charts: ChartChanges
    times: np.ndarray
    pace: Pace
    interrupt: Interrupt

    def run(self, X: np.ndarray, guess: np.ndarray, given: Given, after: Record | None = None) -> Record:
        """Integrate from a state with work, X (nx + 1,), `after` a part of the run.

        z (nz,) is sought from a `guess`; a slow start, of the first part, keeps what was given.

        A failure or Ctrl-C ends it early, and the record says so.

        Raises
        ------
        ParameterError
            The method does not take equations such as these.
        Exception
            Any exception of an input function of the user.
        """
        system = self.system
        refuse_what_it_cannot(system.dae, "simulate")
        with BUILDING:
            kernel, damped_modes = self._kernel(X[:-1], guess, given, self.options.slow and after is None)
        failure, interrupted, advice = None, False, None
        try:
            self._go(kernel)
        except KeyboardInterrupt:
            interrupted = True
            answered()
        except (StepFailure, ComputationError) as error:
            now = kernel.state
            told = self.singularities.explained(error, np.append(now.x, now.work[0]), now.z, system.p)
            failure = self.bounds.explained(str(told), np.append(now.x, now.work[0]))
            advice = getattr(told, "advice", None) or ADVICE
        done = np.array([X[-1], after.damped[-1] if after is not None and after.damped else 0.0])
        return replace(self._record(kernel, done, failure, advice, interrupted), damped_modes=damped_modes)

    def _kernel(
        self, x: np.ndarray, guess: np.ndarray, given: Given, slow: bool
    ) -> tuple[CompiledKernel | InterpretedKernel, tuple[float, ...] | None]:
        """Return the kernel at the start of the run, and the frequencies [Hz] of the modes that its steps damp."""
        system, options, dae, inputs = self.system, self.options, self.system.dae, self.system.inputs
        z = system.consistent(self.times[0], np.append(x, 0.0), guess, system.parameters(0))
        sizes = displacements(dae, x, z, system.p)
        u = system.equations.input(self.times[0], inputs.parameters[:, 0]).full().ravel()
        rates = None
        if slow:
            of_step = options.step, options.spectral_radius
            x, rates = on_slow_manifold(dae, x, z, u, system.p, given, sizes, *of_step)
        table = input_table(dae, inputs, self._inputs, x)
        tolerance = OF_TOLERANCE * (options.rtol * sizes.reach if options.atol is None else options.atol)
        settings = ImplicitSettings(options.step, tolerance, options.spectral_radius)
        problem = ImplicitProblem(dae, settings, sizes, table, self.times, system.p)
        kernel = kernel_of(problem)
        kernel.begin(float(self.times[0]), 0, x, z, rates)
        if options.step is None:
            return kernel, None
        state = x, z, u, system.p
        return kernel, damped_frequencies(dae, *state, sizes, options.step, options.spectral_radius)

    def _inputs(self, t: np.ndarray, segments: np.ndarray) -> np.ndarray:
        """Return the inputs (nu, k) at times (k,) of some segments (k,)."""
        return np.array(self.system.equations.input(t[None, :], self.system.inputs.parameters[:, segments]))

    def _go(self, kernel: CompiledKernel | InterpretedKernel) -> None:
        """Go from clock to clock."""
        dae, ends = self.system.dae, self.system.inputs.ends
        ticks = [i for i, end in enumerate(ends[:-1]) if any(clock.ticks_at(end) for clock in dae.clocks)]
        for first, last in pairwise(dict.fromkeys([0, *ticks, len(ends) - 1])):
            if first in ticks:
                state = kernel.state
                kernel.begin(float(ends[first]), first, self._ticked(first, state.x, state.z), state.z)
            self._until(kernel, float(ends[last]))

    def _until(self, kernel: CompiledKernel | InterpretedKernel, end: float) -> None:
        """Go on to a time [s], and look at the motion between calls of the kernel."""
        most = FIRST
        while True:
            self.interrupt.obey()
            self.pace.keep_budget()
            before, begun = kernel.state, time.perf_counter()
            status = kernel.run(end, 1 if self.charts.functions else most)
            now = kernel.state
            self.system.inputs.raise_failure()
            if status < 0:
                raise StepFailure(FAILURES[status])
            steps = sum(now.counts[name] - before.counts[name] for name in ("steps", "rejected"))
            self.pace.done(before.t, now.t, steps)
            written = kernel.outputs[before.written : now.written, : len(now.x)]
            looked_at = np.vstack([written, now.x])
            self.bounds.keep(np.column_stack([looked_at, np.zeros(len(looked_at))]), self.system.p)
            if status != PAUSED:
                return
            if self.charts.functions:
                changed = self.charts.changed(np.append(now.x, 0.0), self.system.p)[:-1]
                if not np.array_equal(changed, now.x):
                    kernel.begin(now.t, int(self.system.inputs.segment_of(np.array([now.t]))[0]), changed, now.z)
            taken = time.perf_counter() - begun
            most = 2 * most if taken < CALL / 2 else max(most // 2, 1) if taken > 2 * CALL else most

    def _ticked(self, segment: int, x: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Return the state after the clocks that tick where a segment begins; all of them see the values before."""
        system, now = self.system, self.system.inputs.ends[segment]
        P = system.parameters(segment)
        u = system.equations.input(now, P[len(system.p) :])
        ticking = [clock for clock in system.dae.clocks if clock.ticks_at(now)]
        return x + sum(np.array(clock.change(x, z, u, system.p)).ravel() for clock in ticking)

    def _record(
        self,
        kernel: CompiledKernel | InterpretedKernel,
        done: np.ndarray,
        failure: str | None,
        advice: str | None,
        interrupted: bool,
    ) -> Record:
        """Return the record of a kernel; `done` (2,) are work and what was damped before it began [J]."""
        dae, now = self.system.dae, kernel.state
        nx, N, m, nz = len(dae.x), len(dae.x) - dae.tree.size, len(now.multipliers), len(dae.z)
        x, rates, multipliers, z, work = np.split(kernel.outputs[: now.written], np.cumsum([nx, N, m, nz]), axis=1)
        work = work + done
        end = np.append(now.x, now.work[0] + done[0]), now.z
        return Record(
            X=list(np.column_stack([x, work[:, :1]])),
            z=list(z),
            reached=now.t,
            state=end,
            failure=failure,
            advice=advice,
            interrupted=interrupted,
            rates=list(rates),
            multipliers=list(multipliers),
            damped=work[:, 1].tolist(),
            counts=now.counts,
        )


def kernel_of(problem: ImplicitProblem) -> CompiledKernel | InterpretedKernel:
    """Return the kernel of an arm: the compiled one if the arm is compiled.

    Where that fails, of the system as it has compiled before, the reason is logged as a warning.
    """
    if problem.dae.library is not None:
        try:
            return CompiledKernel(problem)
        except CompilerError as error:
            LOG.warning("%s; '%s' is integrated on CasADi's virtual machine", error, problem.dae.name)
    return InterpretedKernel(problem)
