"""The best plan so far: what remains of planning that was ended by its time limit or by Ctrl-C."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import FlexblocksError
from flexblocks.user_warning import warn

from ..errors import PlanError
from ..infeasibility.diagnose import estimate
from ..model.violations import violations
from ..problem.problem import Problem
from ..problem.rest_to_rest import RestToRest
from ..results.attempt import Attempt
from ..results.plan import Plan
from ..results.replays import chosen_law
from ..solve import judged
from ..solver_statistics import CONVERGED, INACCURATE, NOT_OPTIMAL, ROUNDED, UNRESOLVED
from ..tolerances import FEASIBLE
from ..verification.criteria import Criteria, allowed
from ..verification.tracked_replay import AUTO
from ..warning_kinds import PLAN_ENDED

ROUNDING = 1e-3  # of what a replay may miss by, below which a goal is not missed


def ended_plan(error: PlanError, plans: Sequence[Plan], dae: DAE, problem: Problem | RestToRest) -> Plan:
    """Return the best plan when planning was ended from outside, and warn of what it is; see `best_so_far`."""
    assert error.plan is not None
    best = judged(best_so_far(error, plans, dae, problem.problem if isinstance(problem, RestToRest) else problem))
    is_motion = best.status in (CONVERGED, ROUNDED, UNRESOLVED, NOT_OPTIMAL)
    conflict = None if is_motion else estimate(best.pyomo_model)
    told = "" if conflict is None else f" {conflict}"
    why = "was interrupted" if error.plan.status == "interrupted" else "reached its time limit"
    warn(
        f"Plan of '{dae.name}' {why} during: {best.attempts[-1]}. Returned is the best so far: {best.status}. "
        f"Continue with optim.solve(plan.pyomo_model).{told}",
        PLAN_ENDED,
    )
    return best


def best_so_far(error: PlanError, plans: Sequence[Plan], dae: DAE, problem: Problem) -> Plan:
    """Return the best of the plans of an arm, in its own words.

    An optimum of the problem itself comes first, then any motion that satisfies its equations and limits, the last one
    of each; otherwise the last iterate, with what it misses. Of optima whose replay refinement found to miss too much
    it is the one that misses least, if none is later.

    Parameters
    ----------
    error : PlanError
        Of the solve that was ended.
    plans : sequence of Plan
        All plans so far, solved or not, in their order.
    dae : DAE
        The arm, as opposed to the stiffer ones of a homotopy.
    problem : Problem
        The requested problem, as opposed to the easier ones of a homotopy.
    """
    assert error.plan is not None
    attempts = error.plan.attempts
    mine = [plan for plan in plans if plan.transcribed.arm is dae]
    optima = [plan for plan in mine if plan.status in (CONVERGED, ROUNDED) and plan.transcribed.problem == problem]
    if optima:
        if _noted_miss(optima[-1], attempts) is None:
            return replace(optima[-1], attempts=attempts)
        missed = [(miss, plan) for plan in optima if (miss := _noted_miss(plan, attempts)) is not None]
        _, nearest = min(reversed(missed), key=lambda one: one[0])
        return replace(nearest, attempts=attempts, status=UNRESOLVED)
    for plan in reversed(mine):
        if plan.status == ROUNDED:
            return replace(plan, attempts=attempts)
        if plan.status == CONVERGED or (plan.status != INACCURATE and _infeasibility(plan) <= FEASIBLE):
            return replace(plan, attempts=attempts, status=NOT_OPTIMAL)
    last = mine[-1] if mine else error.plan
    return replace(last, attempts=attempts, status=_shortcoming(last))


def _noted_miss(plan: Plan, attempts: Sequence[Attempt]) -> float | None:
    """Return by how much the replay of a plan missed its goal [m], noted by refinement that went on from there."""
    place = len(plan.attempts) - 1
    return attempts[place].tip_miss if place < len(attempts) else None


def _infeasibility(plan: Plan) -> float:
    value = plan.statistics.infeasibility
    return np.inf if value is None else value


def _shortcoming(plan: Plan) -> str:
    """Return by how much the replay of a motion that is none yet misses its goal, or its worst violation."""
    nothing = ROUNDING * allowed(Criteria(), plan.transcribed.arm, plan.trajectories).miss
    try:
        # Only to say by how much the goal is missed
        law = chosen_law(AUTO, plan.mesh_errors)
        miss = plan.replay(law=law, rtol=1e-5, atol=1e-8, time_limit=0.5).tip_miss
    except FlexblocksError:  # inputs of an iterate may be too violent to simulate
        miss = np.nan
    if nothing < miss < np.inf:
        return f"misses the goal by {miss:.3g} m"
    worst = violations(plan.pyomo_model)
    return f"violates {worst[0]}" if worst else "not feasible"
