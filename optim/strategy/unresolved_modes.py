"""Unresolved modes: vibrations too fast for the mesh to follow, treated quasi-statically."""

from __future__ import annotations

from typing import Any

from ..collocation.transcription_options import AUTO
from ..errors import PlanError
from ..presolve.quasi_static_modes import more_than_inputs, mostly_unresolved
from ..presolve.transcribed_problem import TranscribedProblem
from ..results.attempt import Attempt
from ..results.plan import Plan
from .obstacles.obstacle_homotopy import solve_past_obstacles
from .solving import Solving, attempts_of

QUASI_STATIC = "with quasi-static modes where the mesh resolves too few"


def may_be_overdetermined(transcribed: TranscribedProblem) -> bool:
    """Whether the mesh leaves more modes unresolved than inputs can bring to what is asked of them at an end."""
    asked = transcribed.options.quasi_static
    return asked is None and more_than_inputs(transcribed.dae, transcribed.first[0].start, shortest_step(transcribed))


def solve_resolved(transcribed: TranscribedProblem, solving: Solving) -> Plan | None:
    """Solve without the dynamics of modes that the mesh does not resolve; None if it resolves enough or times are free.

    Raises
    ------
    PlanError
    """
    if transcribed.options.quasi_static is not None or transcribed.is_free:
        return None
    few = mostly_unresolved(transcribed.dae, transcribed.first[0].start, shortest_step(transcribed))
    if not few and not _is_bent_for_next(transcribed):
        return None
    return _solve_quasi_statically(transcribed, solving, ())


def _is_bent_for_next(transcribed: TranscribedProblem) -> bool:
    """Whether a phase ends bent as the next load bends the arm, by more unresolved modes than there are inputs.

    A damping scheme keeps these modes where the forces of the last point put them, under the load that is still there.
    """
    phases = transcribed.problem.phases
    return any(phase.balance == "next" for phase in phases) and may_lack_dynamics(transcribed)


def may_lack_dynamics(transcribed: TranscribedProblem) -> bool:
    """Whether modes are too many for what is asked of them, and can be quasi-static: not with closed loops."""
    return not transcribed.dae.tree.loops.closures and may_be_overdetermined(transcribed)


def solve_in_motion(what: str, model: Any, solving: Solving, before: tuple[Attempt, ...]) -> Plan:
    """Solve for a goal in motion: with the dynamics of all modes if that is quick, else of those that are resolved.

    Raises
    ------
    PlanError
    """
    try:
        return solving.attempt(what, model, before, max_iter=solving.settings.exact_patience, **solving.from_guess)
    except PlanError as error:
        return _solve_quasi_statically(model.transcribed, solving, attempts_of(error))


def _solve_quasi_statically(transcribed: TranscribedProblem, solving: Solving, before: tuple[Attempt, ...]) -> Plan:
    model = solving.like(transcribed, quasi_static=AUTO)
    patience = solving.settings.static_patience
    return solve_past_obstacles(QUASI_STATIC, model, solving, before, max_iter=patience, **solving.near_equations)


def shortest_step(transcribed: TranscribedProblem) -> float:
    """Return the length of the shortest interval of all phases [s]."""
    return min(float(t.mesh.steps.min()) for t in transcribed.first)
