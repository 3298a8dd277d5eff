"""The way to a plan of free duration: least effort first, then what is asked, in smaller steps if need be."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from flexblocks.dynamics.algorithms.energy import stored_energies

from ..collocation.schemes import Collocation
from ..errors import PlanError, PlanWarning
from ..model.trajectories import outline_of
from ..presolve.transcribed_problem import Outline
from ..problem.objectives import Effort
from ..problem.objectives.objective import Objective
from ..problem.problem import Problem
from ..results.attempt import Attempt
from ..results.plan import Plan
from .warm_start import start_from

STRETCHES = (1.25, 1.8, 2.6)  # of the rigid arm's duration, for the first stage
SOFTENINGS = (1.0, 0.1, 0.01)  # share of the effort in the objective of the stages in between
PATIENCE = 500  # iterations of a stage after which another way is tried
NEAR = {"mu_init": 1e-3}  # of the barrier, from a start near by


@dataclass(frozen=True)
class Solving:
    """How the models of a plan are made and solved.

    Attributes
    ----------
    model : callable
        (problem, intervals of each phase, scheme, what is carried quasi-statically) -> ConcreteModel
    solve : callable
        (model, IPOPT's options) -> Plan; raises PlanError.
    """

    model: Callable[[Problem, Sequence[int], Collocation, Any], Any]
    solve: Callable[[Any, dict[str, Any]], Plan]

    def like(self, outline: Outline, problem: Problem | None = None) -> Any:
        """Return a model of another problem, or the same one, transcribed as in an outline."""
        scheme = outline.first[0].scheme
        return self.model(problem or outline.problem, outline.intervals, scheme, outline.quasi_static)

    def attempt(self, what: str, model: Any, before: tuple[Attempt, ...], **options: Any) -> Plan:
        """Solve, and note how it went behind the attempts `before`.

        Raises
        ------
        PlanError
            No optimum; its plan has the attempts too.
        """
        try:
            found = self.solve(model, options)
        except PlanError as error:
            if error.plan is not None:
                error.plan = replace(error.plan, attempts=(*before, _noted(what, error.plan)))
            raise
        return replace(found, attempts=(*before, _noted(what, found)))


def attempts_of(error: PlanError) -> tuple[Attempt, ...]:
    """Return the attempts behind a failure that another attempt may mend; raise it again if the user stopped it."""
    if error.plan is None or error.plan.status == "interrupted":
        raise error
    return error.plan.attempts


def solve_in_stages(model: Any, solving: Solving, before: tuple[Attempt, ...] = ()) -> Plan:
    """Solve a model of free duration: from least effort at a duration that the rigid arm can keep.

    Where that fails with the objective asked for, effort is put in with a weight that falls from stage to stage.
    `before` are attempts made already.

    Raises
    ------
    PlanError
        No stage of the last way found an optimum.
    """
    outline = outline_of(model)
    asked = outline.problem.objective
    first = _least_effort(outline, solving, before)
    start_from(model, first.model)
    try:
        return solving.attempt(f"{_short(asked)} from there", model, first.attempts, max_iter=PATIENCE, **NEAR)
    except PlanError as error:
        attempts = attempts_of(error)
    found = first
    share = _value(asked, found) / max(found.objective, 1e-12)
    for softening in SOFTENINGS:
        blend = asked + softening * share * _effort(outline)
        softer = solving.like(outline, replace(outline.problem, objective=blend))
        start_from(softer, found.model)
        try:
            what = f"{_short(asked)} with effort, softened by {softening:g}, from there"
            found = solving.attempt(what, softer, attempts, max_iter=PATIENCE, **NEAR)
            attempts = found.attempts
        except PlanError as error:
            attempts = attempts_of(error)
    start_from(model, found.model)
    return solving.attempt(f"{_short(asked)} from there", model, attempts, **NEAR)


def warn_of_jumps(outline: Outline) -> None:
    """Warn of a shortest time whose inputs may jump from limit to limit, where that shakes springs or beams."""
    dae, objective = outline.dae, outline.problem.objective
    weighted = any(order for order in objective.input_weights)
    if not objective.time_weight or weighted or not stored_energies(dae.tree, dae.q):
        return
    limits = np.array([t.limits.du for t in outline.first if t.is_free])
    jumping = [name for i, name in enumerate(dae.u.names) if not np.isfinite(limits[:, i]).all()]
    if not jumping:
        return
    name = jumping[0]
    warnings.warn(
        f"plan: shortest time, and nothing limits the rate of {', '.join(jumping)}: inputs that jump shake every mode "
        "of the arm, those included that the mesh does not resolve; the plan will not settle under refinement and its "
        f'replay may miss the goal. Limit the rates, as limits={{"der({name})": 20.0}}, or add a weighted '
        "optim.Effort().",
        PlanWarning,
        stacklevel=3,
    )


def _least_effort(outline: Outline, solving: Solving, attempts: tuple[Attempt, ...]) -> Plan:
    """Return the plan of least effort at the first fixed durations that have one."""

    def stretched(stretch: float) -> tuple[float, ...]:
        ranges = [t.duration_range or (t.mesh.duration,) * 2 for t in outline.first]
        lasting = [t.mesh.duration * stretch for t in outline.first]
        return tuple(min(max(own, low), high) for own, (low, high) in zip(lasting, ranges, strict=True))

    def least_effort(durations: tuple[float, ...]) -> Plan:
        easy = outline.problem.lasting(durations, _effort(outline))
        easier = solving.like(outline, easy)
        what = " + ".join(f"{duration:.4g}" for duration in durations)
        return solving.attempt(f"least effort in {what} s", easier, attempts, max_iter=PATIENCE)

    *tried, last = dict.fromkeys(map(stretched, STRETCHES))
    for duration in tried:
        try:
            return least_effort(duration)
        except PlanError as error:
            attempts = attempts_of(error)
    return least_effort(last)


def _effort(outline: Outline) -> Effort:
    return Effort() if outline.first[0].shape.is_continuous else Effort(rate_weight=0.0)


def _value(objective: Objective, plan: Plan) -> float:
    """Return about what an objective is worth along a plan, for a weight beside it."""
    return (objective.time_weight or 1.0) * plan.duration


def _short(objective: Objective) -> str:
    return " + ".join(f"{'' if weight == 1 else f'{weight:g} '}{term.label}" for weight, term in objective.terms)


def _noted(what: str, plan: Plan) -> Attempt:
    return Attempt(
        what,
        plan.status,
        sum(plan.outline.intervals),
        plan.duration,
        plan.objective,
        plan.statistics.iterations,
    )
