"""Recovery from a failed solve: elastic relaxation, then a homotopy in the stiffness, else a conflict report."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..errors import PlanError
from ..infeasibility.conflict import Conflict
from ..infeasibility.diagnose import Diagnosis, estimate
from ..model.initial_guess import set_guess
from ..model.trajectories import all_phase_trajectories, transcribed_problem
from ..results.attempt import Attempt
from ..results.plan import Plan
from ..solver_statistics import ENDED, NOT_OPTIMAL
from .solving import Solving, attempts_of
from .stiffness_homotopy import stiffened_arm
from .warm_start import start_from

# Excess of a limit, relative to it, of the rigid arm's motion, beyond which little else is tried: a bang-bang motion
# needs 0.7 times the torque of the quintic, one at constant rate 0.53 times its rate.
HOPELESS = 9.0
CLEAR = 1.0  # likewise, once the relaxed problem could not be solved either


def recover(model: Any, solving: Solving, error: PlanError) -> Plan:
    """Recover from a failed solve and return the plan.

    First the elastic relaxation, with all limits relaxed at a penalty, is solved. If some limits stay violated, the
    problem is infeasible, at least locally, and the conflicting limits are reported. Otherwise its motion is feasible
    and the solve is repeated from there, and if that fails too, from plans of stiffer arms. Where the failure comes
    with a motion that keeps all limits, nothing has to give way.

    Raises
    ------
    PlanError
        Every fallback failed; with the conflict report and all attempts.
    """
    attempts = attempts_of(error)
    is_feasible = error.plan.status == NOT_OPTIMAL
    estimated = None if is_feasible else estimate(model)
    hopeless = estimated is not None and _excess(estimated) > HOPELESS
    # Elastic relaxation: is there a feasible motion?
    patience = solving.settings.static_patience if hopeless else solving.settings.patience
    for traj in all_phase_trajectories(model):  # a failed solve ends anywhere, and what gives way there says little
        set_guess(traj.block, traj.transcription, straight=True)
    limit = solving.deadline.options.get("max_wall_time")
    diagnosed = solving.diagnose(model, max_iter=patience, time_limit=limit)
    attempts = (*attempts, _attempt(diagnosed, error.plan))
    giving = None if is_feasible else diagnosed.conflict
    conflict = giving or estimated
    if diagnosed.status in ENDED:
        ended = _reported(error, attempts, None)
        ended.plan = replace(ended.plan, status=diagnosed.status)
        raise ended from None
    if giving is not None and giving.giving:
        raise _reported(error, attempts, giving) from None
    if diagnosed.conflict is None and conflict is not None and _excess(conflict) > CLEAR:
        raise _reported(error, attempts, conflict) from None
    # From the feasible motion
    if diagnosed.conflict is not None and not diagnosed.conflict.giving:
        diagnosed.load(model)
        try:
            return solving.attempt_near("from a motion that keeps all limits", model, attempts)
        except PlanError as failure:
            attempts, error = attempts_of(failure), error if is_feasible else failure
    if is_feasible:
        raise _reported(error, attempts, None) from None
    # From stiffer arms
    try:
        return _from_stiffer(model, solving, attempts)
    except PlanError as failure:
        raise _reported(failure, attempts_of(failure), conflict) from None
    except LookupError:
        raise _reported(error, attempts, conflict) from None


def _from_stiffer(model: Any, solving: Solving, attempts: tuple[Attempt, ...]) -> Plan:
    """Return the plan reached by homotopy in the stiffness.

    Raises
    ------
    LookupError
        The arm has no stiffness to scale.
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
            start_from(other, before.pyomo_model)
        stiffer_plan = easier.attempt(
            f"with {factor:g} times the stiffness", other, attempts, max_iter=solving.settings.patience
        )
        attempts, before = stiffer_plan.attempts, stiffer_plan
    assert before is not None
    start_from(model, before.pyomo_model)
    return solving.attempt("from the stiffer arm", model, attempts)


def _excess(estimated: Conflict) -> float:
    """Return the largest excess relative to its limit."""
    return max((side.excess / abs(side.limit) for side in estimated.giving if side.limit), default=0.0)


def _attempt(diagnosed: Diagnosis, failed: Plan) -> Attempt:
    what, count = "all limits relaxed, at a penalty", sum(failed.transcribed.intervals)
    return Attempt(what, diagnosed.status, count, diagnosed.duration, diagnosed.violation, diagnosed.iterations)


def _reported(error: PlanError, attempts: tuple[Attempt, ...], conflict: Conflict | None) -> PlanError:
    plan = replace(error.plan, attempts=attempts)
    name = plan.transcribed.dae.name
    text = str(error) if conflict is None else f"Plan of '{name}': {conflict}\n{error}"
    return PlanError(text, plan, error.violations, conflict)
