"""Failure: what is reported where the requested problem is not solved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flexblocks.user_warning import warn

from ..errors import PlanError
from ..infeasibility.conflict import Conflict
from ..infeasibility.diagnose import diagnosis, estimate
from ..ipopt_options import NEIGHBOR
from ..model.initial_guess import set_guess
from ..model.trajectories import all_phase_trajectories, transcribed_problem
from ..results.attempt import Attempt
from ..results.plan import Plan
from ..solver_statistics import ENDED, NOT_OPTIMAL
from ..warning_kinds import NO_OPTIMUM
from .solver import Solver, recoverable


def without_limits(model: Any, solver: Solver, error: PlanError) -> Plan:
    """Report which limits conflict from the motion that violates them least; go on from it if it violates none.

    Raises
    ------
    PlanError
    """
    for traj in all_phase_trajectories(model):  # a failed solve ends anywhere, and what yields there says little
        set_guess(traj.block, traj.transcription, straight=True)
    budget = solver.budget
    diagnosed = diagnosis(model, max_iter=max(budget.iterations, 1), time_limit=budget.seconds)
    budget.spend(diagnosed.iterations)
    count = sum(transcribed_problem(model).intervals)
    figures = diagnosed.status, count, diagnosed.duration, diagnosed.violation, diagnosed.iterations
    solver.attempts.append(Attempt("all limits relaxed, at a penalty", *figures))
    if diagnosed.status in ENDED:
        ended = _reported(error, solver, None)
        ended.plan = replace(ended.plan, status=diagnosed.status)
        raise ended from None
    conflict = diagnosed.conflict
    if conflict is not None and not conflict.giving:
        diagnosed.load(model)
        try:
            return solver.solve("from a motion that keeps all limits", model, NEIGHBOR)
        except PlanError as failure:
            error = recoverable(failure)
    raise _reported(error, solver, conflict or estimate(model)) from None


def not_optimal(found: Plan, solver: Solver, error: PlanError) -> Plan:
    """Return a plan of another objective, which keeps all limits, where the budget ended before an optimum.

    Raises
    ------
    PlanError
        There was nothing left to try; with that plan.
    """
    plan = replace(found, attempts=tuple(solver.attempts), status=NOT_OPTIMAL)
    spent = sum(attempt.iterations or 0 for attempt in plan.attempts)
    told = (
        f"Plan of '{plan.transcribed.dae.name}': no optimum was found within {spent} iterations, but a motion of "
        f"{plan.duration:.4g} s that keeps all limits"
    )
    easier = "with a narrower range of durations, or with some effort in the objective"
    if solver.budget.is_spent:
        warn(f"{told}. Continue with guess=plan, or plan {easier}.", NO_OPTIMUM)
        return plan
    raise PlanError(f"{told}. It is the error's .plan: take it, or plan {easier}.", plan) from error


def _reported(error: PlanError, solver: Solver, conflict: Conflict | None) -> PlanError:
    plan = replace(error.plan, attempts=tuple(solver.attempts))
    text = str(error) if conflict is None else f"Plan of '{plan.transcribed.dae.name}': {conflict}\n{error}"
    return PlanError(text, plan, error.violations, conflict)
