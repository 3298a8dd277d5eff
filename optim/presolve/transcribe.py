"""Transcription of an optimal control problem: one phase transcription for each phase of each scenario."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from flexblocks.dae.dae import DAE

from ..collocation.mesh import Mesh, spaced_mesh, uniform_mesh
from ..collocation.quasi_static import ALL_MOVE, StaticModes
from ..collocation.transcription_options import TranscriptionOptions
from ..errors import ProblemError
from ..problem.phase import Phase
from ..problem.problem import Problem
from ..problem.rest_to_rest import RestToRest
from .boundary import End
from .bounds import (
    Limits,
    chosen_inputs,
    kept_in_range,
    mixes_units,
    other_limits,
    resolved_limits,
    takes_all_inputs,
    with_own_limits,
)
from .feasible_ends import feasible_ends
from .infeasible_goal import (
    check_boundary_path,
    check_input_count,
    check_shared_momentum,
)
from .inputs.known_motions import bounded_by_known, with_known_motions
from .inputs.planned_inputs import planned_arm
from .inputs.references import with_planned_names, with_planned_references
from .least_inputs.weak_inputs import check_weak_inputs
from .lines.line_reach import check_lines
from .magnitudes.input_sizes import input_sizes
from .margins import check_margins, narrowed
from .parameters import resolved_parameters
from .path_values import resolved_path
from .phase_transcription import PhaseTranscription
from .postures.determined_values import check_determined_values
from .quasi_static_modes import FAR, PERIODS, static_modes, unresolved_modes
from .rigid_motion.duration_estimate import duration_range
from .transcribed_problem import TranscribedProblem
from .via_postures import check_vias, via_waypoints


def transcribe(
    dae: DAE,
    problem: Problem | RestToRest,
    options: TranscriptionOptions,
    p: Mapping[str, float] | np.ndarray | None = None,
    *,
    before: TranscribedProblem | None = None,
) -> TranscribedProblem:
    """Transcribe an optimal control problem: check it against an arm and compute everything that is not optimised.

    Parameters
    ----------
    dae : DAE
    problem : Problem or RestToRest
    options : TranscriptionOptions
    p : dict of float or ndarray (np,), optional
        Values of the symbolic parameters.
    before : TranscribedProblem, optional
        Transcription of the same arm, problem and parameters under other options. It has the same boundary conditions,
        and the postures of goals, which are most of the work, are not searched for again.

    Raises
    ------
    FlexblocksError
        The problem is malformed, contains an unknown name, or its start or goal is infeasible.
    """
    # 1. The data of the problem: limits of every phase, and parameters of every phase in every scenario.
    problem, arm = _as_problem(dae, problem), dae
    if any(arm.u.derivative_of):
        dae, problem = with_planned_references(arm, problem), with_planned_names(arm, problem)
    if problem.prescribed:
        problem = with_known_motions(dae, problem)
    if not takes_all_inputs(dae, problem):
        dae = planned_arm(dae, problem)
    if dae.tree.state_ranges:
        problem = with_own_limits(dae, problem)
    phases, options = problem.phases, options.for_phases(len(problem.phases))
    shape = options.input_shape
    problem.objective.check_inputs(shape, chosen_inputs(dae, problem), arm.u.names)
    margins = options.margins or {}
    base = dae.p.values(p, "plan: ")
    designed, parameters = (), [[base] * len(phases)]
    if problem.design or problem.scenarios or any(phase.p for phase in phases):
        designed, parameters = resolved_parameters(dae, problem, base)
    paths = [
        [
            resolved_path(dae, other_limits(dae, problem.ranges_in(phase), values, designed), problem.path_in(phase))
            for phase, values in zip(phases, run, strict=True)
        ]
        for run in parameters
    ]
    check_margins(dae, map(problem.ranges_in, phases), chain(*paths), margins)
    limits = [resolved_limits(dae, narrowed(problem.ranges_in(phase), margins), shape) for phase in phases]
    if problem.prescribed:
        limits = [bounded_by_known(dae, problem, phase, limit) for phase, limit in zip(phases, limits, strict=True)]
    _check_bounded(dae, problem, limits)

    # 2. Boundary conditions: the equilibria between which the arm moves; infeasible ones are refused.
    if before is None:
        ends, durations = feasible_ends(
            dae, problem, parameters, design=bool(designed), limits=limits, paths=paths, shape=shape
        )
    else:
        ends, durations = before.ends, [t.mesh.duration for t in before.first]

    # 3. The mesh of every phase, the modes too fast for it, and whether there are enough inputs to reach the goals.
    by_phase = list(zip(*ends, strict=True))
    limits = [
        kept_in_range(dae, limit, problem.ranges_in(phase), [end.point for both in boundaries for end in both])
        for limit, phase, boundaries in zip(limits, phases, by_phase, strict=True)
    ]
    spacings = options.spacing or [None] * len(phases)
    meshes = [
        _mesh(dae, problem, phase, duration, count, spacing)
        for phase, duration, count, spacing in zip(phases, durations, options.counts, spacings, strict=True)
    ]
    static = ALL_MOVE
    if options.quasi_static is not None and options.quasi_static is not False:
        shortest = min(float(mesh.steps.min()) for mesh in meshes)
        static = static_modes(dae, options.quasi_static, ends[0][0][0].point, shortest)
    holds = problem.input_ends == "holding" and shape.is_continuous
    leaves_open = not (static.names or options.quasi_static is False or options.collocation.is_symmetric)
    unresolved = [
        [
            _unresolved(dae, end, mesh, phase, phase is phases[-1], holds) if leaves_open else ALL_MOVE
            for (_, end), mesh, phase in zip(run, meshes, phases, strict=True)
        ]
        for run in ends
    ]
    check_input_count(dae, problem, options, ends, [[len(static) or len(modes) for modes in run] for run in unresolved])
    if len(ends) > 1:
        check_shared_momentum(dae, problem, ends)

    # 4. The transcriptions: every phase of every scenario, with path constraints and waypoints of the initial guess.
    for path, (begin, end), mesh in zip(chain(*paths), chain(*ends), meshes * len(ends), strict=True):
        if path.rows:
            check_boundary_path(path, begin, end, mesh.duration)
            for where, boundary, time in (("start", begin, 0.0), ("goal", end, mesh.duration)):
                if boundary.kind == "rest" and not designed:
                    check_determined_values(path, boundary, where, time)
    runs = tuple(
        tuple(
            PhaseTranscription(
                dae=dae,
                problem=problem,
                phase=phase,
                p=phase_parameters[i],
                designed=designed,
                mesh=meshes[i],
                scheme=options.collocation,
                shape=shape,
                limits=limits[i],
                path=paths[scenario][i],
                margins=margins,
                begin=begin,
                end=end,
                passed=(
                    via_waypoints(dae, phase, begin.point, end.point, limits[i], paths[scenario][i])
                    if phase.via
                    else ()
                ),
                duration_range=None if phase.is_timed else duration_range(phase.duration, meshes[i].duration),
                borrows_inputs=scenario > 0,
                static=static,
                unresolved=unresolved[scenario][i],
            )
            for i, (phase, (begin, end)) in enumerate(zip(phases, run, strict=True))
        )
        for scenario, (phase_parameters, run) in enumerate(zip(parameters, ends, strict=True))
    )
    if before is None:
        for t in runs[0]:
            if t.path.rows:
                check_lines(t)
            check_weak_inputs(t)
    if mixes_units(dae, problem):
        sizes = input_sizes(runs[0]) if before is None else before.first[0].input_sizes
        runs = tuple(tuple(replace(t, input_sizes=sizes) for t in run) for run in runs)
    return TranscribedProblem(dae, problem, runs, base, options, arm)


def _as_problem(dae: DAE, problem: Any) -> Problem:
    if not isinstance(dae, DAE):
        raise ProblemError(f"plan: dae = {dae!r}; must be what fb.assemble(model) returns.")
    if isinstance(problem, RestToRest):
        problem = problem.problem
    if not isinstance(problem, Problem):
        raise ProblemError(f"plan: problem = {problem!r}; must be an optim.RestToRest(...) or optim.Problem(...).")
    return problem


def _mesh(
    dae: DAE, problem: Problem, phase: Phase, duration: float, intervals: int, spacing: Sequence[float] | None
) -> Mesh:
    """Return the mesh of a phase, with a mesh point at each via point."""
    if phase.via:
        check_vias(dae, phase, problem.ranges_in(phase), problem.path_in(phase), intervals)
    through = [via.share(phase.duration) for via in phase.via]
    return uniform_mesh(duration, intervals, through) if spacing is None else spaced_mesh(duration, spacing, through)


def _unresolved(dae: DAE, end: End, mesh: Mesh, phase: Phase, is_last: bool, holds: bool) -> StaticModes:
    """Return the modes that a mesh of a damping scheme does not resolve at a goal.

    None in a free time, which would make use of what is not asked of them; and none where the goal has a leeway. What
    is left of them at a goal in between is a momentum once a load is taken up, with which the arm drifts off, so that
    only modes far beyond the mesh are left open there. Inputs that do not end at what holds the arm bend it otherwise
    than rest does, which optima make use of: then modes are asked as far as there are inputs for that.
    """
    if not phase.is_timed or end.kind not in ("fixed", "rest", "course"):
        return ALL_MOVE
    modes = unresolved_modes(dae, end.point, float(mesh.steps[-1]), PERIODS if is_last else FAR)
    return modes if holds or end.moving or len(modes) > len(dae.u) else ALL_MOVE


def _check_bounded(dae: DAE, problem: Problem, limits: Iterable[Limits]) -> None:
    """Refuse a minimum-time problem without limits."""
    costly = 0 in problem.objective.input_weights(dae.u.names)
    for phase, phase_limits in zip(problem.phases, limits, strict=True):
        limited = any(np.isfinite(group).any() for group in (phase_limits.x, phase_limits.u, phase_limits.du))
        if phase.duration == "free" and not limited and not costly:
            raise ProblemError(
                f"plan: objective = {problem.objective}; nothing limits how fast the arm moves. Limit its inputs, as "
                'in limits={"motor1.torque": 2.0}.'
            )
