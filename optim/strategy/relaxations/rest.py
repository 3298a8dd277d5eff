"""Terminal rest: nearly at rest, where exact rest is out of reach of shared inputs or of the mesh."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from flexblocks.user_warning import warn

from ...collocation.interval_layout import state_names
from ...model.read_solution import values
from ...model.trajectories import all_phase_trajectories, phase_trajectories
from ...presolve.quasi_static_modes import fast_modes
from ...presolve.transcribed_problem import TranscribedProblem
from ...problem.problem import Problem
from ...results.plan import Plan
from ...tolerances import NEGLIGIBLE
from ...verification.arrivals import misses, outputs_at
from ...verification.criteria import Criteria, allowed
from ...warning_kinds import SCENARIOS_NOT_AT_REST, UNRESOLVED_MODES
from ..relaxation import Found, Relaxation
from ..request import Request
from .modes import are_beyond_inputs, shortest_step

LARGEST = 1e-2  # of it, for scenarios that share their inputs; a choice
AIM = 0.5  # of what counts as a miss: replays miss by as much for other reasons; a choice
TRIAL = 70  # iterations of exact rest: shortest times and scenarios that come to it take 18 to 52


class Rest(Relaxation):
    """The energy that may be left at goals, as a share of the largest kinetic energy.

    A damping scheme lets inputs steer modes that the mesh does not resolve in its last intervals only. Conditions on
    these are then nearly dependent, and at the limits of the inputs, as of shortest times, no direction is left to
    meet them. Several scenarios may not come to rest exactly under the same inputs.
    """

    name = "rest"
    stays = True

    def __init__(self, asked: Request, model: Any) -> None:
        super().__init__(asked, model)
        transcribed = self.transcribed
        self._several = len(transcribed.runs) > 1
        self._is_shrunk = False
        self.applies = bool(_resting(transcribed)) and (
            self._several or (transcribed.is_free and are_beyond_inputs(transcribed))
        )
        self.energy = largest_energy(model) if self.applies else 0.0
        self.is_raised_first = self.applies and self._several and _is_overdetermined(transcribed)
        self._most, self.trial = 0.0, TRIAL

    def easier(self, request: Request, level: float) -> float:
        if not self._applies_to(request):
            return 0.0
        if not level:
            return NEGLIGIBLE
        return LARGEST if self._several and level < LARGEST else 0.0

    def lower(self, found: Found) -> float:
        level = found.levels[self.name]
        if level > NEGLIGIBLE:
            return max(level / 10, NEGLIGIBLE)
        if not self._several and not self._is_shrunk and (miss := miss_at_goals(found.plan)) > self._most:
            # A shortest time makes use of what it is left
            self._is_shrunk = True
            return (AIM * self._most / miss) ** 2 * level
        return level

    def observe(self, found: Found) -> None:
        if not self.applies or any(phase.leeway for phase in found.request.problem.phases):
            return
        self.energy = largest_energy(found.model)
        self._most = allowed(Criteria(), found.plan.transcribed.arm, found.plan.trajectories).miss

    def _applies_to(self, request: Request) -> bool:
        """Whether a request is the whole one: one scenario, or least effort in a fixed time, comes to rest."""
        asked = self.asked.problem
        return (
            self.applies
            and bool(request.problem.scenarios) == self._several
            and (request.problem.objective == asked.objective)
        )

    def at(self, request: Request, level: float) -> Request:
        if self._several and not request.problem.scenarios:
            return request
        return replace(request, problem=with_leeway(self.transcribed, request.problem, level * self.energy))

    def words(self, level: float) -> str:
        return f"with up to {level * self.energy:.2g} J left at the goal" if level else "at rest at the goal"

    def conclude(self, plan: Plan, found: Found) -> Plan:
        leeway, name = max(phase.leeway for phase in plan.transcribed.problem.phases), plan.transcribed.dae.name
        if self._several:
            warn(
                f"Plan of '{name}': exact rest of all {len(plan.transcribed.runs)} scenarios was not reached by shared "
                f"inputs; each keeps up to {leeway:.2g} J at the goal, {leeway / self.energy:.1g} of the largest "
                "kinetic energy. Give phases a leeway to choose it, or plan scenarios separately.",
                SCENARIOS_NOT_AT_REST,
            )
        else:
            warn(
                f"Plan of '{name}': the mesh leaves more modes unresolved than there are inputs, so that terminal rest "
                f"is enforced only to {leeway:.2g} J. Plan with more intervals, or give phases a leeway to choose it.",
                UNRESOLVED_MODES,
            )
        return plan


def miss_at_goals(plan: Plan) -> float:
    """Return by how much an end point misses its place at a goal with a leeway [m], at most.

    Of where a floating base is at the end: that is up to the momentum, and not prescribed.
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


def _resting(transcribed: TranscribedProblem) -> list[int]:
    """Return the phases, by number, that end in exact rest at coordinates."""
    names = transcribed.dae.q_names
    phases = [t.phase for t in transcribed.first]
    if transcribed.problem.design or any(phase.leeway for phase in phases):
        return []
    exact = [i for i, t in enumerate(transcribed.first) if t.end.kind == "fixed" and t.end.is_rest]
    return [i for i in exact if set(phases[i].goal or ()) <= set(names) and phases[i].balance != "next"]


def with_leeway(transcribed: TranscribedProblem, problem: Problem, leeway: float) -> Problem:
    """Return a problem with this leeway [J] at every goal that is exact."""
    resting = _resting(transcribed)
    phases = [replace(phase, leeway=leeway) if i in resting else phase for i, phase in enumerate(problem.phases)]
    return replace(problem, phases=tuple(phases))


def largest_energy(model: Any) -> float:
    """Return the largest kinetic energy [J] of the present values of a model."""
    most = 0.0
    for traj in all_phase_trajectories(model):
        dae, b = traj.transcription.dae, traj.block
        points = traj.mesh.intervals + 1
        parts = [values(getattr(b, part), points, -1) for part in state_names(dae)]
        more = [dae.z.start] if dae.energy.n_in() == 3 else []
        kinetic, _ = dae.energy(np.concatenate(parts, axis=1).T, traj.p, *more)
        most = max(most, float(np.max(np.array(kinetic))))
    return most


def _is_overdetermined(transcribed: TranscribedProblem) -> bool:
    """Whether rest of all scenarios, with more fast modes together than inputs, takes long and much effort.

    With closed loops it is exact: two loads on a boom did not converge with a leeway.
    """
    dae, at, step = transcribed.dae, transcribed.first[0].start, shortest_step(transcribed)
    return not dae.tree.loops.closures and len(transcribed.runs) * fast_modes(dae, at, step) > len(dae.u)
