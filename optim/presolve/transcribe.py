"""From a planning problem to the transcriptions of its trajectories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from flexblocks.dae.dae import DAE

from ..collocation.input_parametrization import InputShape, input_shape
from ..collocation.mesh import Mesh, check_intervals, uniform_mesh
from ..collocation.schemes import collocation
from ..errors import ProblemError
from ..problem.phase import Phase
from ..problem.problem import Problem
from ..problem.rest_to_rest import RestToRest
from .boundary import End
from .bounds import Limits, check_within, other_limits, resolved_limits
from .controllability_check import check_momentum, check_number
from .duration_estimate import duration_range, estimated_duration
from .impact import check_pick_ups
from .parameters import design_start, phase_parameters, place_of
from .path_values import check_path, resolved_path
from .phase_boundaries import phase_ends
from .phase_transcription import Transcription
from .quasi_static_modes import static_modes
from .rate_check import check_reachable
from .transcribed_problem import Outline
from .via_postures import check_vias, passed_postures


def transcribe(
    dae: DAE,
    problem: Problem | RestToRest,
    *,
    intervals: int | Sequence[int] = 100,
    degree: int = 3,
    scheme: str = "radau",
    inputs: str = "cubic",
    quasi_static: Any = None,
    p: Mapping[str, float] | np.ndarray | None = None,
) -> Outline:
    """Check a problem against an arm and settle everything that is not to be optimised.

    Raises
    ------
    FlexblocksError
        The problem is malformed, names what is not there, or cannot be met at its ends.
    """
    problem = _general(dae, problem)
    counts = _counts(problem, intervals)
    points, shape = collocation(scheme, degree), input_shape(inputs)
    problem.objective.check_inputs(shape)
    limits = [resolved_limits(dae, problem.ranges_in(phase), shape) for phase in problem.phases]
    _check_bounded(problem, limits)
    base = dae.p.values(p, "plan: ")
    designed = tuple(place_of(dae, name, "plan: design") for name in problem.design)
    for place, bounds in zip(designed, problem.design.values(), strict=True):
        base[place] = design_start(base[place], *bounds)
    values = [phase_parameters(dae, problem, base, scenario) for scenario in problem.scenarios or ({},)]
    ends = [phase_ends(dae, problem, own, bool(designed), limits) for own in values]
    for own, of_run in zip(values, ends, strict=True):
        _check_ends(dae, limits, of_run)
        check_pick_ups(dae, problem, own, of_run)
    _check_shared_holding(dae, problem, shape, ends)
    for i, (phase, limit) in enumerate(zip(problem.phases, limits, strict=True)):
        holding = problem.input_ends == "holding" and shape.is_continuous and len(problem.phases) == 1
        for run in ends:
            check_reachable(dae, limit, *run[i], phase.duration, holding)
    runs: list[list[Transcription]] = [[] for _ in values]
    meshes = [
        _mesh(dae, problem, phase, limit, count, [run[i] for run in ends])
        for i, (phase, limit, count) in enumerate(zip(problem.phases, limits, counts, strict=True))
    ]
    shortest = min(float(mesh.steps.min()) for mesh in meshes)
    static = static_modes(dae, quasi_static, ends[0][0][0].point, shortest)
    check_number(dae, problem, shape, counts, ends, len(static))
    check_momentum(dae, problem, ends)
    for i, (phase, limit, mesh) in enumerate(zip(problem.phases, limits, meshes, strict=True)):
        path = resolved_path(dae, other_limits(dae, problem.ranges_in(phase)), problem.path_in(phase))
        for s, (own, run) in enumerate(zip(values, ends, strict=True)):
            begin, end = run[i]
            for where, known, time in (("start", begin, 0.0), ("goal", end, mesh.duration)):
                if known.kind == "fixed":
                    check_path(path, where, known.point, time)
            runs[s].append(
                Transcription(
                    dae, problem, phase, own[i], designed, mesh, points, shape, limit, path, begin, end,
                    passed=passed_postures(dae, phase, begin.point, end.point, limit),
                    duration_range=duration_range(phase.duration, mesh.duration), borrows_inputs=s > 0,
                    static=static,
                )
            )  # fmt: skip
    return Outline(dae, problem, tuple(map(tuple, runs)), base, quasi_static)


def _general(dae: DAE, problem: Any) -> Problem:
    if not isinstance(dae, DAE):
        raise ProblemError(f"plan: dae = {dae!r}; must be what fb.assemble(model) returns.")
    if isinstance(problem, RestToRest):
        problem = problem.problem
    if not isinstance(problem, Problem):
        raise ProblemError(f"plan: problem = {problem!r}; must be an optim.RestToRest(...) or optim.Problem(...).")
    if not len(dae.u):
        raise ProblemError(f"plan: '{dae.name}' has no inputs; add a TorqueSource or ForceSource.")
    return problem


def _counts(problem: Problem, intervals: Any) -> list[int]:
    """Return the number of intervals of each phase."""
    phases = len(problem.phases)
    counts = list(intervals) if isinstance(intervals, (tuple, list)) else [intervals] * phases
    if len(counts) != phases:
        raise ProblemError(f"plan: intervals = {intervals!r}; must be one number, or {phases}, one for each phase.")
    for count in counts:
        check_intervals(count)
    return counts


def _mesh(
    dae: DAE, problem: Problem, phase: Phase, limits: Limits, count: int, ends: Sequence[tuple[End, End]]
) -> Mesh:
    """Return the mesh of a phase, that lies between the `ends` of each scenario."""
    duration = phase.duration
    if not phase.is_timed:
        estimates = [estimated_duration(dae, problem, phase, limits, *(end.point for end in run)) for run in ends]
        duration = max(estimates)
    check_vias(dae, phase, problem.ranges_in(phase), problem.path_in(phase), count)
    return uniform_mesh(duration, count, [via.share(phase.duration) for via in phase.via])


def _check_ends(dae: DAE, limits: Sequence[Limits], ends: Sequence[tuple[End, End]]) -> None:
    first = ends[0][0]
    if first.kind == "fixed":
        check_within(dae, limits[0], "start", first.point.x, first.point.u)
    for i, (begin, end) in enumerate(ends):
        if end.kind == "fixed":
            check_within(dae, limits[i], "goal", end.point.x, end.point.u)
        if i and begin.kind == "fixed":
            check_within(dae, limits[i], "start", begin.point.x, None)


def _check_bounded(problem: Problem, limits: Iterable[Limits]) -> None:
    """Refuse a shortest time that nothing limits."""
    costly = 0 in problem.objective.input_weights
    for phase, own in zip(problem.phases, limits, strict=True):
        limited = any(np.isfinite(group).any() for group in (own.x, own.u, own.du))
        if phase.duration == "free" and not limited and not costly:
            raise ProblemError(
                f"plan: objective = {problem.objective}; nothing limits how fast the arm moves. Limit its inputs, as "
                'limits={"motor1.torque": 2.0}.'
            )


def _check_shared_holding(
    dae: DAE, problem: Problem, shape: InputShape, ends: Sequence[Sequence[tuple[End, End]]]
) -> None:
    """Refuse inputs that would have to hold several scenarios at rest at once."""
    if problem.input_ends != "holding" or not shape.is_continuous or len(ends) < 2:
        return
    for where, points in (
        ("start", [run[0][0].point for run in ends]),
        ("goal", [run[-1][1].point for run in ends if run[-1][1].is_rest]),
    ):
        for other in points[1:]:
            apart = np.abs(other.u - points[0].u) > 1e-9 * np.maximum(1.0, np.abs(other.u))
            if apart.any():
                name = dae.u.names[int(np.argmax(apart))]
                raise ProblemError(
                    f'plan: input_ends = "holding", but the scenarios share their inputs and {name} holds them at the '
                    f'{where} with {points[0][name]:g} and {other[name]:g}; take input_ends="free".'
                )
