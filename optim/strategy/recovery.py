"""Recovery where a solve fails: loosen the limits, stiffen the arm, or say what makes the problem impossible."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..errors import PlanError
from ..infeasibility.conflict import Conflict
from ..infeasibility.diagnose import Diagnosis
from ..model.trajectories import transcribed_problem
from ..results.attempt import Attempt
from ..results.plan import Plan
from .solving import Solving, attempts_of
from .stiffness_homotopy import stiffened_arm
from .warm_start import start_from


def recover(model: Any, solving: Solving, error: PlanError) -> Plan:
    """Return the plan that a failed solve was to find, by another way.

    First all limits are loosened, at a price that drives the motion back into them. If it does not get there, the
    problem has no solution, at least near by, and the limits that stand against each other are reported. If it does,
    the solve goes on from there; then, where that fails too, from the plans of ever less stiff arms.

    Raises
    ------
    PlanError
        With the report, and all attempts, if nothing helps.
    """
    # All limits loosened: is there any motion that keeps them?
    attempts = attempts_of(error)
    found = solving.diagnose(model, max_iter=solving.settings.patience)
    attempts = (*attempts, _noted(found, error.plan))
    if found.status == "interrupted":
        raise _reported(error, attempts, None) from None
    if found.conflict is not None and found.conflict.giving:
        raise _reported(error, attempts, found.conflict) from None
    # From the motion that keeps them.
    if found.conflict is not None:
        found.load(model)
        try:
            return solving.attempt_near("from a motion that keeps all limits", model, attempts)
        except PlanError as failure:
            attempts, error = attempts_of(failure), failure
    # From stiffer arms.
    try:
        return _from_stiffer(model, solving, attempts)
    except PlanError as failure:
        raise _reported(failure, attempts_of(failure), found.conflict) from None
    except LookupError:
        raise _reported(error, attempts, found.conflict) from None


def _from_stiffer(model: Any, solving: Solving, attempts: tuple[Attempt, ...]) -> Plan:
    """Return the plan reached through those of stiffer arms.

    Raises
    ------
    LookupError
        The arm has nothing that could be stiffer.
    PlanError
    """
    transcribed, before = transcribed_problem(model), None
    for factor in solving.settings.stiffer:
        stiff = stiffened_arm(transcribed, factor)
        if stiff is None:
            raise LookupError
        easier = replace(solving, dae=stiff[0], p=stiff[1])
        other = easier.like(transcribed)
        if before is not None:
            start_from(other, before.model)
        found = easier.attempt(
            f"with {factor:g} times the stiffness", other, attempts, max_iter=solving.settings.patience
        )
        attempts, before = found.attempts, found
    assert before is not None
    start_from(model, before.model)
    return solving.attempt("from the stiffer arm", model, attempts)


def _noted(found: Diagnosis, failed: Plan) -> Attempt:
    what, count = "all limits loosened, at a price", sum(failed.transcribed.intervals)
    return Attempt(what, found.status, count, found.duration, found.violation, found.iterations)


def _reported(error: PlanError, attempts: tuple[Attempt, ...], conflict: Conflict | None) -> PlanError:
    plan = replace(error.plan, attempts=attempts)
    name = plan.transcribed.dae.name
    text = str(error) if conflict is None else f"Plan of '{name}': {conflict}\n{error}"
    return PlanError(text, plan, error.violations, conflict)
