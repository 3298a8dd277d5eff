"""Unresolved modes: vibrations too fast for the mesh to follow, treated quasi-statically."""

from __future__ import annotations

from typing import Any

from ..collocation.transcription_options import AUTO
from ..errors import PlanError
from ..presolve.quasi_static_modes import more_than_inputs, mostly_unresolved
from ..presolve.transcribed_problem import TranscribedProblem
from ..results.attempt import Attempt
from ..results.plan import Plan
from .leeway import guess_nearly_at_rest, may_have_leeway
from .obstacles.obstacle_homotopy import solve_past_obstacles
from .solving import Solving, attempts_of

QUASI_STATIC = "with quasi-static modes where the mesh resolves too few"


def are_beyond_inputs(transcribed: TranscribedProblem) -> bool:
    """Whether the mesh leaves more modes unresolved than inputs can bring to what is asked of them at an end."""
    asked = transcribed.options.quasi_static
    return asked is None and more_than_inputs(transcribed.dae, transcribed.first[0].start, shortest_step(transcribed))


def solve_resolved(transcribed: TranscribedProblem, solving: Solving) -> Plan | None:
    """Solve without the dynamics of modes that the mesh does not resolve, where these are the rule.

    None if it resolves enough, or times are free. More such modes than inputs suffice where a phase ends bent as the
    next load bends the arm, which is another balance than that of the last point.

    Raises
    ------
    PlanError
    """
    if transcribed.options.quasi_static is not None or transcribed.is_free:
        return None
    if not mostly_unresolved(transcribed.dae, transcribed.first[0].start, shortest_step(transcribed)):
        is_bent = any(phase.balance == "next" for phase in transcribed.problem.phases)
        if not is_bent or not _may_lack_dynamics(transcribed):
            return None
    return _solve_quasi_statically(transcribed, solving, ())


def solve_overdetermined(what: str, model: Any, solving: Solving, before: tuple[Attempt, ...]) -> Plan:
    """Solve where the mesh leaves more modes unresolved than there are inputs: exactly if that is quick.

    Conditions on such modes at a goal are hardly independent: a solve that meets them at all may take hundreds of
    iterations. They lose their dynamics then; where that does not help or closed loops forbid it, rest gets a leeway.

    Raises
    ------
    PlanError
    """
    transcribed, settings = model.transcribed, solving.settings
    may_lack, may_remain = not before and _may_lack_dynamics(transcribed), may_have_leeway(transcribed)
    patience = settings.exact_patience if may_remain else settings.patience
    if may_lack:
        patience = settings.resolved_patience
    try:
        return solving.attempt(what, model, before, max_iter=patience, **solving.from_guess)
    except PlanError as error:
        before = attempts_of(error)
        if not (may_lack or may_remain):
            raise
    if may_lack:
        try:
            return _solve_quasi_statically(transcribed, solving, before)
        except PlanError as error:
            before = attempts_of(error)
            if not may_remain:
                raise
    return guess_nearly_at_rest(what, model, solving, before)


def _solve_quasi_statically(transcribed: TranscribedProblem, solving: Solving, before: tuple[Attempt, ...]) -> Plan:
    model = solving.like(transcribed, quasi_static=AUTO)
    start = solving.near_equations if _has_paths(transcribed) else solving.from_guess
    patience = solving.settings.static_patience
    return solve_past_obstacles(QUASI_STATIC, model, solving, before, max_iter=patience, **start)


def _may_lack_dynamics(transcribed: TranscribedProblem) -> bool:
    """Whether modes are too many for what is asked of them, and can be quasi-static: not with closed loops."""
    return not transcribed.dae.tree.loops.closures and are_beyond_inputs(transcribed)


def _has_paths(transcribed: TranscribedProblem) -> bool:
    return any(t.path.rows for t in transcribed.first)


def shortest_step(transcribed: TranscribedProblem) -> float:
    """Return the length of the shortest interval of all phases [s]."""
    return min(float(t.mesh.steps.min()) for t in transcribed.first)
