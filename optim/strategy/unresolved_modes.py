"""Unresolved modes: vibrations too fast for the mesh to follow, treated quasi-statically."""

from __future__ import annotations

from typing import Any

from flexblocks.dae.dae import DAE
from flexblocks.statics.operating_point import OperatingPoint

from ..collocation.transcription_options import AUTO
from ..errors import PlanError
from ..presolve.quasi_static_modes import more_than_inputs, mostly_unresolved
from ..presolve.transcribed_problem import TranscribedProblem
from ..results.attempt import Attempt
from ..results.plan import Plan
from ..solver_statistics import INFEASIBLE
from .leeway import guess_nearly_at_rest, may_have_leeway
from .obstacles.obstacle_homotopy import solve_past_obstacles
from .solving import Solving, attempts_of

QUASI_STATIC = "with quasi-static modes where the mesh resolves too few"


def are_beyond_inputs(transcribed: TranscribedProblem) -> bool:
    """Whether the mesh leaves more modes unresolved than inputs can bring to what is asked of them at an end."""
    return transcribed.options.quasi_static is None and more_than_inputs(*_mesh_of(transcribed))


def _mesh_of(transcribed: TranscribedProblem) -> tuple[DAE, OperatingPoint, float]:
    """Return the arm, the start and the shortest step [s]: what tells which modes the mesh resolves."""
    return transcribed.dae, transcribed.first[0].start, shortest_step(transcribed)


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
    if not mostly_unresolved(*_mesh_of(transcribed)):
        is_bent = any(phase.balance == "next" for phase in transcribed.problem.phases)
        if not is_bent or not may_lack_dynamics(transcribed):
            return None
    return _solve_quasi_statically(transcribed, solving, (), solving.settings.static_patience)


def solve_overdetermined(what: str, model: Any, solving: Solving, before: tuple[Attempt, ...]) -> Plan:
    """Solve where the mesh leaves more modes unresolved than there are inputs: exactly if that is quick.

    Conditions on such modes at a goal are hardly independent: a solve that meets them at all may take hundreds of
    iterations. They lose their dynamics then; where that does not help or closed loops forbid it, rest gets a leeway.
    Obstacles and lines do not count as long as it is open which way to go.

    Raises
    ------
    PlanError
    """
    transcribed, settings = model.transcribed, solving.settings
    may_lack, has_paths = not before and may_lack_dynamics(transcribed), _has_paths(transcribed)
    may_remain = not has_paths and may_have_leeway(transcribed)
    patience = settings.exact_patience if may_remain else solving.patience(transcribed)
    if may_lack:
        patience = settings.resolved_patience
    try:
        if has_paths:
            probe = patience if may_lack else None
            return solve_past_obstacles(what, model, solving, before, settings.patience, probe)
        return solving.attempt(what, model, before, max_iter=patience, **solving.from_guess)
    except PlanError as error:
        before = attempts_of(error)
        if not (may_lack or may_remain):
            raise
    if may_lack:
        try:
            return _solve_quasi_statically(transcribed, solving, before, settings.static_patience // 2)
        except PlanError as error:
            before = attempts_of(error)
            if not may_remain:
                raise
    return guess_nearly_at_rest(what, model, solving, before)


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
