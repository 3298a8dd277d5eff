"""Unresolved modes: vibrations too fast for the mesh to follow, treated quasi-statically."""

from __future__ import annotations

from typing import Any

from ..collocation.transcription_options import AUTO
from ..errors import PlanError
from ..presolve.quasi_static_modes import more_than_inputs, too_fast
from ..presolve.transcribed_problem import TranscribedProblem
from ..results.attempt import Attempt
from ..results.plan import Plan
from .leeway import guess_nearly_at_rest, may_have_leeway
from .obstacles.obstacle_homotopy import solve_past_obstacles
from .solving import Solving, attempts_of

QUASI_STATIC = "with quasi-static modes where the mesh resolves too few"


def solve_resolved(transcribed: TranscribedProblem, solving: Solving) -> Plan | None:
    """Solve without the dynamics of modes that the mesh does not resolve; None if it resolves enough or times are free.

    Raises
    ------
    PlanError
    """
    if transcribed.options.quasi_static is not None or transcribed.is_free:
        return None
    if not too_fast(transcribed.dae, transcribed.first[0].start, shortest_step(transcribed)):
        return None
    model = solving.like(transcribed, quasi_static=AUTO)
    has_paths = any(t.path.rows for t in transcribed.first)
    start = solving.near_equations if has_paths else solving.from_guess
    patience = solving.settings.static_patience
    return solve_past_obstacles(QUASI_STATIC, model, solving, (), max_iter=patience, **start)


def has_way_out(transcribed: TranscribedProblem) -> bool:
    """Whether the mesh leaves more modes unresolved than inputs can bring to rest, and rest may have a leeway."""
    if transcribed.options.quasi_static is not None or not may_have_leeway(transcribed):
        return False
    return more_than_inputs(transcribed.dae, transcribed.first[0].start, shortest_step(transcribed))


def solve_overdetermined(what: str, model: Any, solving: Solving, before: tuple[Attempt, ...]) -> Plan:
    """Solve where the mesh leaves more modes unresolved than there are inputs: exactly if that is quick, else nearly.

    Conditions on such modes at a goal are hardly independent: a solve that meets them at all may take hundreds of
    iterations.

    Raises
    ------
    PlanError
    """
    settings = solving.settings
    try:
        return solving.attempt(what, model, before, max_iter=settings.exact_patience, **solving.from_guess)
    except PlanError as error:
        before = attempts_of(error)
    patience = {"max_iter": settings.static_patience}
    return guess_nearly_at_rest(what, model, solving, before, **patience, **solving.from_guess)


def shortest_step(transcribed: TranscribedProblem) -> float:
    """Return the length of the shortest interval of all phases [s]."""
    return min(float(t.mesh.steps.min()) for t in transcribed.first)
