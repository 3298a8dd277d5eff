"""Leeway: nearly at rest, where exact rest is out of reach of shared inputs or of the mesh."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from flexblocks.user_warning import warn

from ..collocation.interval_layout import state_names
from ..errors import PlanError, PlanWarning
from ..model.read_solution import values
from ..model.trajectories import all_phase_trajectories, phase_trajectories, transcribed_problem
from ..presolve.transcribed_problem import TranscribedProblem
from ..problem.problem import Problem
from ..results.plan import Plan
from ..verification.arrivals import misses, outputs_at
from ..verification.criteria import Criteria, allowed
from .solving import Solving, after, attempts_of
from .warm_start import start_from

AIM = 0.5  # of what counts as a miss: replays miss by as much for other reasons; a choice


def may_have_leeway(transcribed: TranscribedProblem) -> bool:
    """Whether the arm is asked to be exactly at rest at a goal that allows for a leeway."""
    return bool(_resting(transcribed))


def tell_leeway(plan: Plan, energy: float) -> None:
    """Warn of the leeway of a plan for several scenarios, and of its share of an energy [J]."""
    leeway = max(phase.leeway for phase in plan.transcribed.problem.phases)
    warn(
        f"Plan of '{plan.transcribed.dae.name}': exact rest of all {len(plan.transcribed.runs)} scenarios was not "
        f"reached by shared inputs; each keeps up to {leeway:.2g} J at the goal, {leeway / energy:.1g} of the largest "
        "kinetic energy. Give phases a leeway to choose it, or plan scenarios separately.",
        PlanWarning,
    )


def solve_nearly_at_rest(what: str, model: Any, solving: Solving, start: Plan) -> Plan:
    """Solve from another plan up to a leeway that counts as nothing, and warn of it.

    A damping scheme lets inputs steer modes that the mesh does not resolve in its last intervals only. Conditions on
    these are then hardly independent, and at the limits of the inputs no direction is left to meet them. The leeway is
    the smallest share of the largest energy; where it lets an end point miss its place by more than what counts as
    none, less, if that is reached: a shortest time makes use of what it is left.

    Raises
    ------
    PlanError
    """
    transcribed = transcribed_problem(model)
    leeway = solving.settings.leeways[-1] * largest_energy(start.pyomo_model)
    most = allowed(Criteria(), transcribed.arm, start.trajectories).miss
    plan = _solved_within(leeway, what, transcribed, solving, start)
    if (miss := miss_at_goals(plan)) > most:
        less = (AIM * most / miss) ** 2 * leeway
        try:
            plan, leeway = _solved_within(less, what, transcribed, solving, plan), less
        except PlanError as error:
            plan = after(plan, attempts_of(error))
    _tell_unresolved(plan, leeway)
    return plan


def _solved_within(leeway: float, what: str, transcribed: TranscribedProblem, solving: Solving, start: Plan) -> Plan:
    """Solve from another plan up to a leeway [J].

    Raises
    ------
    PlanError
    """
    easier = solving.like(transcribed, with_leeway(transcribed, leeway))
    start_from(easier, start.pyomo_model)
    label, patience = f"{what} with a leeway of {leeway:.2g} J, from there", solving.settings.static_patience
    return solving.attempt_near(label, easier, start.attempts, max_iter=patience)


def miss_at_goals(plan: Plan) -> float:
    """Return by how much an end point misses its place at a goal with a leeway [m], at most.

    Of where a floating base is at the end: that is up to the momentum, and not asked.
    """
    motion, end, most = plan.trajectory, 0.0, 0.0
    for traj in phase_trajectories(plan.pyomo_model)[0]:
        end += traj.mesh.duration
        goal, floating = traj.transcription.end.point, list(traj.transcription.end.open)
        if traj.transcription.end.kind == "near":
            at = int(np.argmin(np.abs(motion.t - end)))
            x = goal.x.copy()
            x[floating] = motion.x[at, floating]
            away = misses(motion, outputs_at(plan.transcribed.dae, replace(goal, x=x)))
            most = max([most, *(float(distances[at]) for distances in away.values())])
    return most


def _tell_unresolved(plan: Plan, leeway: float) -> None:
    warn(
        f"Plan of '{plan.transcribed.dae.name}': the mesh leaves more modes unresolved than there are inputs, so that "
        f"rest is not asked exactly: up to {leeway:.2g} J are kept at the goal. Plan with more intervals, or give "
        "phases a leeway to choose it.",
        PlanWarning,
    )


def _resting(transcribed: TranscribedProblem) -> list[int]:
    """Return the phases, by number, that end in exact rest at coordinates."""
    names = transcribed.dae.q_names
    phases = [t.phase for t in transcribed.first]
    if transcribed.problem.design or any(phase.leeway for phase in phases):
        return []
    exact = [i for i, t in enumerate(transcribed.first) if t.end.kind == "fixed" and t.end.is_rest]
    return [i for i in exact if set(phases[i].goal or ()) <= set(names) and phases[i].balance != "next"]


def with_leeway(transcribed: TranscribedProblem, leeway: float) -> Problem:
    """Return the problem with this leeway [J] at every goal that is asked exactly."""
    resting = _resting(transcribed)
    phases = [
        replace(phase, leeway=leeway) if i in resting else phase for i, phase in enumerate(transcribed.problem.phases)
    ]
    return replace(transcribed.problem, phases=tuple(phases))


def largest_energy(model: Any) -> float:
    """Return the largest kinetic energy [J] of the present values of a model: its first guess."""
    most = 0.0
    for traj in all_phase_trajectories(model):
        dae, b = traj.transcription.dae, traj.block
        points = traj.mesh.intervals + 1
        parts = [values(getattr(b, part), points, -1) for part in state_names(dae)]
        more = [dae.z.start] if dae.energy.n_in() == 3 else []
        kinetic, _ = dae.energy(np.concatenate(parts, axis=1).T, traj.p, *more)
        most = max(most, float(np.max(np.array(kinetic))))
    return most
