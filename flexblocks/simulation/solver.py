"""Solver: equations and integrator, built once and reused from run to run."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
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
        p: Parameters,
        x: np.ndarray,
        times: np.ndarray,
        interrupt: Interrupt,
        bar: ProgressDisplay | None = None,
        budget: Budget = Budget(),  # noqa: B008 (frozen)
        watched: np.ndarray | None = None,
        held: tuple[int, ...] = (),
    ) -> Record:
        """Integrate from the state `x` (nx,) over the output `times` (k,) [s], as far as possible.

        The record is that of the times `watched`, if they are given: the output times, and others between them. A slow
        start keeps the rates of the coordinates `held`.
        """
        watch = _Watch(times, interrupt, bar, budget)
        spans = p.spans(times if watched is None else watched)
        first = self.system(inputs.within(spans[0].times[0], spans[0].times[-1]), spans[0].p)
        X = np.append(x, 0.0)  # no work is done yet
        parts = [self._span(first, X, self.dae.z.start, spans[0].times, watch, held)]
        changes: list[ParameterChange] = []
        for before, span in pairwise(spans):
            part = parts[-1]
            if part.failure is not None or part.interrupted:
                break
            X, change = changed(self.dae, float(span.times[0]), *part.state, before.p, span.p, p.pick_up)
            changes.append(change)
            system = self.system(inputs.within(span.times[0], span.times[-1]), span.p)
            parts.append(self._span(system, X, part.state[1], span.times, watch, None, part))
        return joined(parts, [span.are_outputs for span in spans], changes)

    def _span(
        self,
        system: System,
        X: np.ndarray,
        guess: np.ndarray,
        until: np.ndarray,
        watch: _Watch,
        held: tuple[int, ...] | None,
        before: Record | None = None,
    ) -> Record:
        """Integrate from the state with work `X` over the times `until` (k,) [s], with constant parameters.

        z is sought from a `guess`; a slow start keeps the rates of the coordinates `held`, None means that there is
        none. `before` is the part of the run before this one.
        """
        times = watch.times
        if self.method.fixed is not None:
            return self._fixed_steps(self.method.fixed, system, until, watch).run(X, guess)
        checks = self._bounds, self._singularities, self._charts
        if (options := self.method.implicit) is not None:
            pace = watch.pace(0, 1e-5, follows_all=False)
            options = options if held is not None else replace(options, slow=False)
            damped = before.damped[-1] if before is not None and before.damped else 0.0
            return ImplicitRun(system, options, *checks, until, pace, watch.interrupt).run(X, guess, held or (), damped)
        integrator = self.method.integrator_for(system, X, times)
        if integrator.name not in self._steppers:
            assert integrator.stepper is not None
            self._steppers[integrator.name] = integrator.stepper(system.equations, self.method.options)
        stepper = self._steppers[integrator.name]
        pace = watch.pace(stepper.evaluations * self.dae.interpreted.motion.n_instructions(), stepper.step_time)
        stepper.most_steps = pace.most_steps
        options, size = self.method.options, None
        if options.follows:
            size = MotionSize(system, options, X, until[-1] - until[0])
        none, large = np.zeros(len(X)), np.full(len(X), LARGE)  # to which a stated tolerance belongs
        kinds = self.dae.tree.state_kinds(self.dae.x.units)
        stepper.measure(ErrorScale(options.rtol, options.atol, none, large, none, np.array(kinds), LARGE))
        return Integration(system, stepper, *checks, until, pace, watch.interrupt, size).run(X, guess)

    def _fixed_steps(self, method: FixedStep, system: System, times: np.ndarray, watch: _Watch) -> FixedSteps:
        if self._kernel is None:
            self._kernel = kernel_of(self.dae, method)
        pace = watch.pace(method.evaluations * self.dae.interpreted.motion.n_instructions(), 0.0)
        step = self.method.options.step
        assert step is not None
        checks = self._bounds, self._singularities
        return FixedSteps(system, self._kernel, method, step, *checks, times, pace, watch.interrupt)


@dataclass
class _Watch:
    """What goes on through all parts of a run over `times` (k,) [s]: Ctrl-C, its progress, its budget."""

    times: np.ndarray
    interrupt: Interrupt
    bar: ProgressDisplay | None
    budget: Budget
    last: Pace | None = None

    def pace(self, instructions: int, step_time: float, follows_all: bool = True) -> Pace:
        """Return the pace of the next part; arguments as of `Pace`."""
        pace = Pace(self.times[0], self.times[-1], instructions, step_time, self.bar, self.budget, follows_all)
        self.last = pace.follow(self.last)
        return pace
