"""Feasible ends: the boundary conditions of every phase in every scenario, checked before anything is solved."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexblocks.dae.dae import DAE

from ..collocation.input_parametrization import InputShape
from ..problem.phase import Phase
from ..problem.problem import Problem
from .boundary import End
from .bounds import Limits
from .feasibility.changed_lengths import check_lengths
from .feasibility.conserved_momentum import check_momentum, check_named_rates
from .feasibility.conserved_totals import check_totals
from .feasibility.energy_bound import check_impulse
from .feasibility.shared_travel import with_shared_references, with_shared_travel, without_what_is_held
from .feasibility.speed_bound import check_speeds
from .feasibility.unmoved_coordinates import check_moved
from .impact import check_pick_ups
from .infeasible_goal import check_boundary_limits, check_rates, check_shared_holding
from .meeting.meeting_times import Ends, met_ends
from .path_values import PathValues
from .phase_boundaries import phase_ends
from .rigid_motion.duration_estimate import estimated_duration


def feasible_ends(
    dae: DAE,
    problem: Problem,
    parameters: Sequence[Sequence[np.ndarray]],
    *,
    design: bool,
    limits: Sequence[Limits],
    paths: Sequence[Sequence[PathValues]],
    shape: InputShape,
) -> tuple[Ends, list[float]]:
    """Return the boundary conditions of every phase, by scenario, and the durations [s] of the first guess.

    Of a phase of free duration that is what the rigid arm needs, or when it meets the targets on their courses.

    Raises
    ------
    ProblemError
        There is no such equilibrium, or no motion between two of them that keeps the limits.
    """
    phases = problem.phases

    def ends_at(times: Sequence[float]) -> Ends:
        ends = [
            phase_ends(dae, problem, group, design=design, limits=limits, paths=path, times=times)
            for group, path in zip(parameters, paths, strict=True)
        ]
        if len(ends) > 1:
            ends = [ends[0], *(with_shared_travel(dae, ends[0], run) for run in ends[1:])]
            ends = [without_what_is_held(dae, run) for run in ends]
            ends = with_shared_references(dae, ends)
        return ends

    def estimated(ends: Ends, times: Sequence[float]) -> list[float]:
        return [
            _estimate(dae, problem, phase, limit, pairs) if phase.courses else time
            for phase, limit, time, pairs in zip(phases, limits, times, zip(*ends, strict=True), strict=True)
        ]

    times = [0.0 if isinstance(phase.duration, str) else float(np.mean(phase.duration)) for phase in phases]
    if any(phase.courses and not phase.is_timed for phase in phases):
        ends, times = met_ends(phases, ends_at, estimated)
    else:
        ends = ends_at(times)
    holding = problem.input_ends == "holding" and shape.is_continuous
    for phase_parameters, run in zip(parameters, ends, strict=True):
        check_boundary_limits(dae, limits, run)
        if len(phases) > 1:
            check_pick_ups(dae, problem, phase_parameters, run)
            check_lengths(dae, problem, phase_parameters, run)
    if holding and len(ends) > 1:
        check_shared_holding(dae, ends)
    for run, run_paths in zip(ends, paths, strict=True):
        known = dae.u.with_role("disturbance")
        if phases[0].balance == "next" and not known:
            check_moved(dae, *run[0])
        for phase, limit, path, (begin, end) in zip(phases, limits, run_paths, run, strict=True):
            check_rates(dae, limit, begin, end, phase.duration, holding and len(phases) == 1)
            if path.rows:
                check_speeds(dae, path, begin, end, phase.duration)
            check_impulse(dae, limit, begin, end, phase.duration)
            if dae.tree.has_undriven_base and not known:  # known forces change the momentum
                check_momentum(dae, begin, end)
                goal = phase.goal_at(0.0) if phase.is_timed else {}
                check_named_rates(dae, begin, end, goal)
                check_totals(dae, begin, phase.goal or {}, phase.duration if phase.is_timed else None)
    durations = [
        time if phase.courses and time else _estimate(dae, problem, phase, limit, pairs)
        for phase, limit, time, pairs in zip(phases, limits, times, zip(*ends, strict=True), strict=True)
    ]
    return ends, durations


def _estimate(dae: DAE, problem: Problem, phase: Phase, limits: Limits, boundaries: Sequence[tuple[End, End]]) -> float:
    """Return the duration of a phase [s], for a free one its estimate by the rigid arm."""
    if phase.is_timed:
        return phase.duration
    return max(estimated_duration(dae, problem, phase, limits, *(end.point for end in pair)) for pair in boundaries)
