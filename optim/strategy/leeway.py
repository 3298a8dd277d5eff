"""Leeway: nearly at rest, where exact rest is out of reach of shared inputs or of the mesh."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from flexblocks.user_warning import warn

from ..collocation.interval_layout import state_names
from ..errors import PlanError, PlanWarning
from ..model.read_solution import values
from ..model.trajectories import all_phase_trajectories, transcribed_problem
from ..presolve.transcribed_problem import TranscribedProblem
from ..problem.problem import Problem
from ..results.attempt import Attempt
from ..results.plan import Plan
from .solving import Solving, attempts_of
from .warm_start import start_from


def may_have_leeway(transcribed: TranscribedProblem) -> bool:
    """Whether the arm is asked to be exactly at rest at a goal that allows for a leeway."""
    return bool(_resting(transcribed))


def solve_with_leeway(model: Any, solving: Solving, before: tuple[Attempt, ...] = ()) -> Plan:
    """Solve for several scenarios: exactly if that is quick, else with a leeway that is tightened from solve to solve.

    The leeway is a share of the largest kinetic energy of the first guess. At the last share, 1e-4, what is left counts
    as nothing (`Criteria`); a warning tells the leeway in any case, and the summary does.

    Raises
    ------
    PlanError
        Not even with the largest leeway was an optimum reached.
    """
    transcribed, settings = transcribed_problem(model), solving.settings
    energy = _largest_energy(model)
    try:
        return solving.attempt(
            "from the default start", model, before, max_iter=settings.exact_patience, **solving.from_guess
        )
    except PlanError as error:
        attempts = attempts_of(error)
    best: Plan | None = None
    for share in settings.leeways:
        leeway = share * energy
        easier = solving.like(transcribed, _with_leeway(transcribed, leeway))
        what = f"with a leeway of {leeway:.2g} J"
        try:
            if best is None:
                best = solving.attempt(what, easier, attempts, max_iter=settings.patience, **solving.from_guess)
            else:
                start_from(easier, best.model)
                best = solving.attempt_near(f"{what}, from there", easier, attempts, max_iter=settings.static_patience)
            attempts = best.attempts
        except PlanError as error:
            attempts = attempts_of(error)
            if best is None:
                raise
            break
    assert best is not None
    leeway = max(phase.leeway for phase in best.transcribed.problem.phases)
    warn(
        f"Plan of '{transcribed.dae.name}': exact rest of all {len(transcribed.runs)} scenarios was not reached by "
        f"shared inputs; each keeps up to {leeway:.2g} J at the goal, {leeway / energy:.1g} of the largest kinetic "
        "energy. Give phases a leeway to choose it, or plan scenarios separately.",
        PlanWarning,
    )
    return replace(best, attempts=attempts)


def solve_nearly_at_rest(what: str, model: Any, solving: Solving, start: Plan) -> Plan:
    """Solve from another plan up to a leeway that counts as nothing, and warn of it.

    A damping scheme lets inputs steer modes that the mesh does not resolve in its last intervals only. Conditions on
    these are then hardly independent, and at the limits of the inputs no direction is left to meet them.

    Raises
    ------
    PlanError
    """
    transcribed, settings = transcribed_problem(model), solving.settings
    share = settings.leeways[-1]
    leeway = share * _largest_energy(start.model)
    easier = solving.like(transcribed, _with_leeway(transcribed, leeway))
    start_from(easier, start.model)
    label = f"{what} with a leeway of {leeway:.2g} J, from there"
    plan = solving.attempt_near(label, easier, start.attempts, max_iter=settings.static_patience)
    warn(
        f"Plan of '{transcribed.dae.name}': the mesh leaves more modes unresolved than there are inputs, so that "
        f"rest is not asked exactly: up to {leeway:.2g} J are kept at the goal, {share:.1g} of the largest kinetic "
        "energy. Plan with more intervals, or give phases a leeway to choose it.",
        PlanWarning,
    )
    return plan


def _resting(transcribed: TranscribedProblem) -> list[int]:
    """Return the phases, by number, that end in exact rest at coordinates."""
    names = transcribed.dae.q_names
    phases = [t.phase for t in transcribed.first]
    if transcribed.problem.design or any(phase.leeway for phase in phases):
        return []
    exact = [i for i, t in enumerate(transcribed.first) if t.end.kind == "fixed" and t.end.is_rest]
    return [i for i in exact if set(phases[i].goal or ()) <= set(names) and phases[i].balance != "next"]


def _with_leeway(transcribed: TranscribedProblem, leeway: float) -> Problem:
    resting = _resting(transcribed)
    phases = [
        replace(phase, leeway=leeway) if i in resting else phase for i, phase in enumerate(transcribed.problem.phases)
    ]
    return replace(transcribed.problem, phases=tuple(phases))


def _largest_energy(model: Any) -> float:
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
