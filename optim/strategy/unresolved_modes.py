"""Unresolved modes: vibrations too fast for the mesh to follow, treated quasi-statically."""

from __future__ import annotations

from typing import Any

from ..collocation.transcription_options import AUTO
from ..errors import PlanError
from ..presolve.quasi_static_modes import more_than_inputs
from ..presolve.transcribed_problem import TranscribedProblem
from ..results.attempt import Attempt
from ..results.plan import Plan
from ..solver_statistics import INFEASIBLE
from .obstacles.obstacle_homotopy import solve_past_obstacles
from .solving import Solving, attempts_of

QUASI_STATIC = "with quasi-static modes where the mesh resolves too few"


def are_beyond_inputs(transcribed: TranscribedProblem) -> bool:
    """Whether the mesh leaves more modes unresolved than inputs can bring to what is asked of them at an end."""
    at, step = transcribed.first[0].start, shortest_step(transcribed)
    return transcribed.options.quasi_static is None and more_than_inputs(transcribed.dae, at, step)


def solve_unresolved(what: str, model: Any, solving: Solving) -> Plan:
    """Solve where modes that the mesh does not resolve may lose their dynamics: with these, if that is quick.

    Obstacles and lines do not count as long as it is open which way to go.

    Raises
    ------
    PlanError
    """
    transcribed, settings = model.transcribed, solving.settings
    asks_more = len(transcribed.first) > 1  # of modes at goals in between, by conditions that are hardly independent
    patience = settings.asking_patience if asks_more else settings.resolved_patience
    try:
        if _has_paths(transcribed):
            return solve_past_obstacles(what, model, solving, (), settings.patience, patience)
        return solving.attempt(what, model, (), max_iter=patience, **solving.from_guess)
    except PlanError as error:
        before = attempts_of(error)
    return _solve_quasi_statically(transcribed, solving, before, settings.static_patience // 2)


def _solve_quasi_statically(
    transcribed: TranscribedProblem, solving: Solving, before: tuple[Attempt, ...], patience: int
) -> Plan:
    """Solve without the dynamics of modes that the mesh does not resolve.

    Without paths by both steps of the multipliers, with this `patience` for each: which one ends is hardly to be told.

    Raises
    ------
    PlanError
    """
    if _has_paths(transcribed):
        model, most = solving.like(transcribed, quasi_static=AUTO), solving.settings.static_patience
        return solve_past_obstacles(QUASI_STATIC, model, solving, before, most)
    for start in (solving.from_guess, solving.near_equations):
        model = solving.like(transcribed, quasi_static=AUTO)
        try:
            return solving.attempt(QUASI_STATIC, model, before, max_iter=patience, **start)
        except PlanError as error:
            before, failure = attempts_of(error), error
            if before[-1].status == INFEASIBLE:
                break
    raise failure


def may_lack_dynamics(transcribed: TranscribedProblem) -> bool:
    """Whether modes are too many for what is asked of them, and can be quasi-static: not with closed loops."""
    return not transcribed.dae.tree.loops.closures and are_beyond_inputs(transcribed)


def _has_paths(transcribed: TranscribedProblem) -> bool:
    return any(t.path.rows for t in transcribed.first)


def shortest_step(transcribed: TranscribedProblem) -> float:
    """Return the length of the shortest interval of all phases [s]."""
    return min(float(t.mesh.steps.min()) for t in transcribed.first)
