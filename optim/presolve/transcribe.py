"""Transcription of an optimal control problem: one phase transcription for each phase of each scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from flexblocks.dae.dae import DAE

from ..collocation.mesh import Mesh, spaced_mesh, uniform_mesh
from ..collocation.quasi_static import ALL_MOVE, StaticModes
from ..collocation.transcription_options import TranscriptionOptions
from ..problem.problem import Problem
from ..problem.rest_to_rest import RestToRest
from .boundary import End, Ends
from .bounds import kept_in_range, mixes_units
from .ends.motion_ends import motion_ends
from .ends.via_postures import check_vias, via_waypoints
from .magnitudes.input_sizes import input_sizes
from .phase_transcription import PhaseTranscription
from .quasi_static_modes import FAR, PERIODS, static_modes, unresolved_modes
from .refusals.table import refuse
from .resolved_problem import ResolvedProblem, resolved_problem
from .rigid_motion.duration_estimate import duration_range
from .transcribed_problem import TranscribedProblem


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
    asked = resolved_problem(dae, problem, options, p)
    ends, durations = _ends(before) if before is not None else motion_ends(asked)
    meshes = _meshes(asked, durations)
    runs = _phases(asked, ends, meshes)
    if mixes_units(asked.dae, asked.problem):
        sizes = input_sizes(runs[0]) if before is None else before.first[0].input_sizes
        runs = tuple(tuple(replace(t, input_sizes=sizes) for t in run) for run in runs)
    transcribed = TranscribedProblem(asked.dae, asked.problem, runs, asked.p, asked.options, asked.arm)
    refuse(transcribed)
    return transcribed


def _ends(before: TranscribedProblem) -> tuple[Ends, list[float]]:
    return before.ends, [t.mesh.duration for t in before.first]


def _meshes(asked: ResolvedProblem, durations: Sequence[float]) -> list[Mesh]:
    """Return the mesh of each phase, with a mesh point at each via point."""
    meshes, spacings = [], asked.options.spacing or [None] * len(asked.phases)
    for phase, duration, count, spacing in zip(asked.phases, durations, asked.options.counts, spacings, strict=True):
        if phase.via:
            check_vias(asked.dae, phase, asked.problem.ranges_in(phase), asked.problem.path_in(phase), count)
        through = [via.share(phase.duration) for via in phase.via]
        is_even = spacing is None
        meshes.append(uniform_mesh(duration, count, through) if is_even else spaced_mesh(duration, spacing, through))
    return meshes


def _phases(asked: ResolvedProblem, ends: Ends, meshes: Sequence[Mesh]) -> tuple[tuple[PhaseTranscription, ...], ...]:
    """Return the transcriptions of the phases, by scenario."""
    dae, problem = asked.dae, asked.problem
    limits = [
        kept_in_range(dae, limit, problem.ranges_in(phase), [end.point for run in ends for end in run[i]])
        for i, (limit, phase) in enumerate(zip(asked.limits, asked.phases, strict=True))
    ]
    static = _static(asked, ends[0][0][0], meshes)
    return tuple(
        tuple(
            PhaseTranscription(
                dae=dae,
                problem=problem,
                phase=phase,
                p=asked.parameters[scenario][i],
                designed=asked.designed,
                mesh=meshes[i],
                scheme=asked.options.collocation,
                shape=asked.options.input_shape,
                limits=limits[i],
                path=(path := asked.paths[scenario][i]),
                margins=asked.options.margins or {},
                begin=begin,
                end=end,
                passed=via_waypoints(dae, phase, begin.point, end.point, limits[i], path) if phase.via else (),
                duration_range=None if phase.is_timed else duration_range(phase.duration, meshes[i].duration),
                borrows_inputs=scenario > 0,
                static=static,
                unresolved=ALL_MOVE if static.names else _unresolved(asked, i, end, meshes[i]),
            )
            for i, (phase, (begin, end)) in enumerate(zip(asked.phases, run, strict=True))
        )
        for scenario, run in enumerate(ends)
    )


def _static(asked: ResolvedProblem, start: End, meshes: Sequence[Mesh]) -> StaticModes:
    """Return the quasi-static modes."""
    option = asked.options.quasi_static
    if option is None or option is False:
        return ALL_MOVE
    return static_modes(asked.dae, option, start.point, min(float(mesh.steps.min()) for mesh in meshes))


def _unresolved(asked: ResolvedProblem, i: int, end: End, mesh: Mesh) -> StaticModes:
    """Return the modes that a mesh of a damping scheme does not resolve at the goal of phase `i`.

    None in a free time, which would exploit that freedom; and none where the goal has a leeway. What
    is left of them at a goal in between is a momentum once a load is taken up, with which the arm drifts off, so that
    only modes far beyond the mesh are left open there. Inputs that do not end at what holds the arm bend it otherwise
    than rest does, which optima make use of: then as many modes are prescribed as there are inputs for.
    """
    options, phases, problem = asked.options, asked.phases, asked.problem
    leaves_open = options.quasi_static is not False and not options.collocation.is_symmetric
    if not leaves_open or not phases[i].is_timed or end.kind not in ("fixed", "rest", "course"):
        return ALL_MOVE
    periods = PERIODS if i == len(phases) - 1 else FAR
    modes = unresolved_modes(asked.dae, end.point, float(mesh.steps[-1]), periods)
    holds = problem.input_ends == "holding" and options.input_shape.is_continuous
    return modes if holds or end.moving or len(modes) > len(asked.dae.u) else ALL_MOVE
