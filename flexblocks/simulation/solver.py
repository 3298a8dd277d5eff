"""Solver: equations and integrator, built once and reused from run to run."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dae.explicit_steps import LARGE
from flexblocks.interrupt import Interrupt
from flexblocks.progress import ProgressDisplay
from flexblocks.simulation.checks.bounds import Bounds, bounds
from flexblocks.simulation.checks.chart_changes import NO_CHARTS, ChartChanges, chart_changes
from flexblocks.simulation.checks.singularities import Singularities
from flexblocks.simulation.chunks import Budget, Pace
from flexblocks.simulation.fixed_steps import FixedSteps
from flexblocks.simulation.implicit.slow_start import Given
from flexblocks.simulation.implicit_run import ImplicitRun
from flexblocks.simulation.integrators.driven_equations import DrivenEquations
from flexblocks.simulation.integrators.fixed_step import FixedStep
from flexblocks.simulation.integrators.stepper import ErrorScale, Stepper
from flexblocks.simulation.method import Method
from flexblocks.simulation.motion_size import MotionSize
from flexblocks.simulation.run import Integration, Record, joined
from flexblocks.simulation.signals.inputs import Inputs
from flexblocks.simulation.signals.parameter_change import ParameterChange, changed
from flexblocks.simulation.signals.parameters import Parameters
from flexblocks.simulation.stepping.choose_kernel import kernel_of
from flexblocks.simulation.stepping.kernel import Kernel
from flexblocks.simulation.system import System, driven_equations, inputs_alone


@dataclass(eq=False)
class Solver:
    """Integrates runs; equations and integrators are built once for all runs whose inputs have the same form.

    Use it in one thread only, as its equations keep their working memory.

    Attributes
    ----------
    dae : DAE
    method : Method
    """

    dae: DAE
    method: Method
    _form: tuple[object, ...] | None = None
    _equations: DrivenEquations | None = None
    _steppers: dict[str, Stepper] = field(default_factory=dict)
    _kernel: Kernel | None = None

    @cached_property
    def _bounds(self) -> Bounds:
        return bounds(self.dae)

    @cached_property
    def _charts(self) -> ChartChanges:
        return chart_changes(self.dae) if self.dae.tree.charted else NO_CHARTS

    @cached_property
    def _singularities(self) -> Singularities:
        return Singularities(self.dae)

    def system(self, inputs: Inputs, p: np.ndarray) -> System:
        """Return the initial value problem under these inputs with these values of the parameters (np,)."""
        if self._equations is None or inputs.form != self._form:
            # Algebraic variables at a start are solved for in the equations of forward dynamics.
            alone = self.method.implicit is not None and not len(self.dae.z)
            build = inputs_alone if alone else driven_equations
            self._form, self._equations = inputs.form, build(self.dae, inputs)
            self._steppers.clear()
        return System(self.dae, self._equations, p, inputs)

    def integrate(
        self,
        inputs: Inputs,
        p: np.ndarray,
        x: np.ndarray,
        times: np.ndarray,
        interrupt: Interrupt,
        bar: ProgressDisplay | None = None,
        budget: Budget = Budget(),  # noqa: B008 (frozen)
        watched: np.ndarray | None = None,
        given: Given = Given(),  # noqa: B008 (frozen)
        after: Record | None = None,
    ) -> Record:
        """Integrate from the state `x` (nx,) over the output `times` (k,) [s], as far as possible.

        The record is that of the times `watched`, if they are given: the output times, and others between them. A slow
        start keeps what of the state was `given`. What comes `after` a part of the run goes on with its work.
        """
        done, guess = (0.0, self.dae.z.start) if after is None else (after.state[0][-1], after.state[1])
        system, X = self.system(inputs, p), np.append(x, done)
        until = times if watched is None else watched
        if self.method.fixed is not None:
            return self._fixed_steps(self.method.fixed, system, until, interrupt, bar, budget).run(X, guess)
        checks = self._bounds, self._singularities, self._charts
        if self.method.implicit is not None:
            pace = Pace(times[0], times[-1], 0, 1e-5, bar, budget, follows_all=False)
            run = ImplicitRun(system, self.method.implicit, *checks, until, pace, interrupt)
            return run.run(X, guess, given, after)
        integrator = self.method.integrator_for(system, X, times)
        if integrator.name not in self._steppers:
            assert integrator.stepper is not None
            self._steppers[integrator.name] = integrator.stepper(system.equations, self.method.options)
        stepper = self._steppers[integrator.name]
        instructions = stepper.evaluations * self.dae.interpreted.motion.n_instructions()
        pace = Pace(times[0], times[-1], instructions, stepper.step_time, bar, budget)
        stepper.most_steps = pace.most_steps
        options, size = self.method.options, None
        if options.follows:
            size = MotionSize(system, options, X, until[-1] - until[0])
        none, large = np.zeros(len(X)), np.full(len(X), LARGE)  # to which a stated tolerance belongs
        kinds = self.dae.tree.state_kinds(self.dae.x.units)
        stepper.measure(ErrorScale(options.rtol, options.atol, none, large, none, np.array(kinds), LARGE))
        return Integration(system, stepper, *checks, until, pace, interrupt, size).run(X, guess)

    def _fixed_steps(
        self,
        method: FixedStep,
        system: System,
        times: np.ndarray,
        interrupt: Interrupt,
        bar: ProgressDisplay | None,
        budget: Budget,
    ) -> FixedSteps:
        if self._kernel is None:
            self._kernel = kernel_of(self.dae, method)
        instructions = method.evaluations * self.dae.interpreted.motion.n_instructions()
        pace = Pace(times[0], times[-1], instructions, 0.0, bar, budget)
        step = self.method.options.step
        assert step is not None
        return FixedSteps(system, self._kernel, method, step, self._bounds, self._singularities, times, pace, interrupt)


def integrate_parts(
    solver: Solver,
    inputs: Inputs,
    p: Parameters,
    x: np.ndarray,
    times: np.ndarray,
    interrupt: Interrupt,
    bar: ProgressDisplay | None = None,
    budget: Budget = Budget(),  # noqa: B008 (frozen)
    watched: np.ndarray | None = None,
    given: Given = Given(),  # noqa: B008 (frozen)
) -> Record:
    """Integrate a run from change to change; arguments as of `Solver.integrate`, the budget is that of each part."""
    parts: list[Record] = []
    changes: list[ParameterChange] = []
    spans = p.spans(times if watched is None else watched)
    for before, span in pairwise([None, *spans]):
        assert span is not None
        if parts and before is not None:
            last = parts[-1]
            if last.failure is not None or last.interrupted:
                break
            X, jump = changed(solver.dae, float(span.times[0]), *last.state, before.p, span.p, p.pick_up)
            changes.append(jump)
            x = X[:-1]
        own = inputs.within(span.times[0], span.times[-1])
        after = parts[-1] if parts else None
        parts.append(solver.integrate(own, span.p, x, times, interrupt, bar, budget, span.times, given, after))
    return joined(parts, [span.are_outputs for span in spans], changes)
