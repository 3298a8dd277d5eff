"""Motion ends: the boundary conditions of every phase in every scenario, with the durations of a first guess."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from ...errors import OutOfReachError, ProblemError
from ...problem.phase import Phase
from ..boundary import Ends
from ..resolved_problem import ResolvedProblem
from ..rigid_motion.duration_estimate import estimated_duration
from .phase_ends import phase_ends
from .shared_travel import sharing

# How often the time to meet a target is estimated again where the target is by then.
MEETINGS = 3
# Where in the range of a duration it is looked for, each finer than the last: what passes by is in reach for a while.
SHARES = (0.5, 0.25, 0.75, 0.0, 1.0, *(odd / 8 for odd in range(1, 8, 2)), *(odd / 16 for odd in range(1, 16, 2)))
CLOSER = 0.5  # of what is short: the nearest posture that was found may not be the nearest there is


def motion_ends(asked: ResolvedProblem) -> tuple[Ends, list[float]]:
    """Return the boundary conditions of every phase, by scenario, and the durations [s] of the first guess.

    Of a phase of free duration that is what the rigid arm needs, or when it meets the targets on their courses.

    Raises
    ------
    ProblemError
        There is no such equilibrium.
    """
    phases = asked.phases

    def ends_at(times: Sequence[float]) -> Ends:
        ends = [phase_ends(asked, scenario, list(times)) for scenario in range(len(asked.parameters))]
        return sharing(asked.dae, ends) if len(ends) > 1 else ends

    def estimated(ends: Ends, i: int) -> float:
        pairs = [(run[i][0].point, run[i][1].point) for run in ends]
        return max(estimated_duration(asked.dae, asked.problem, phases[i], asked.limits[i], *pair) for pair in pairs)

    def meeting(ends: Ends, times: Sequence[float]) -> list[float]:
        meets = [bool(phase.courses) and not phase.is_timed for phase in phases]
        return [estimated(ends, i) if meets[i] else time for i, time in enumerate(times)]

    times = [0.0 if isinstance(phase.duration, str) else float(np.mean(phase.duration)) for phase in phases]
    if any(phase.courses and not phase.is_timed for phase in phases):
        ends, times = _met_ends(phases, ends_at, meeting)
    else:
        ends = ends_at(times)
    is_known = [phase.is_timed or bool(phase.courses and times[i]) for i, phase in enumerate(phases)]
    return ends, [times[i] if is_known[i] else estimated(ends, i) for i in range(len(phases))]


def _met_ends(
    phases: Sequence[Phase],
    ends_at: Callable[[Sequence[float]], Ends],
    estimate: Callable[[Ends, Sequence[float]], list[float]],
) -> tuple[Ends, list[float]]:
    """Return the boundary conditions of all phases by scenario, and the times [s] that the phases take there.

    Where a target is met depends on when, and when on where. One that is within reach only later, or not for long, is
    looked for all over the range of its duration.

    Parameters
    ----------
    phases : sequence of Phase
    ends_at : callable
        Times of the phases -> boundary conditions; raises ProblemError.
    estimate : callable
        Boundary conditions and times -> times by the rigid arm.

    Raises
    ------
    ProblemError
        There are none; targets are out of reach at all times tried.
    """
    ends, times = _first(phases, ends_at)
    for _ in range(MEETINGS):
        better = estimate(ends, times)
        try:
            ends, times = ends_at(better), better
        except ProblemError:  # out of reach again by then
            break
    return ends, times


def _first(phases: Sequence[Phase], ends_at: Callable[[Sequence[float]], Ends]) -> tuple[Ends, list[float]]:
    """Return boundary conditions at the first times at which there are any."""
    refusals: list[ProblemError] = []
    is_looked_for = [bool(phase.courses) and isinstance(phase.duration, tuple) for phase in phases]
    for share in SHARES if any(is_looked_for) else SHARES[:1]:
        times = [
            _time(phase, share if is_it else SHARES[0]) for phase, is_it in zip(phases, is_looked_for, strict=True)
        ]
        if any(_is_no_nearer(phase.goal_at(time), refusals) for phase, time in zip(phases, times, strict=True)):
            continue
        try:
            return ends_at(times), times
        except ProblemError as error:
            refusals.append(error)
    raise refusals[0]


def _is_no_nearer(goal: Mapping[str, float], refusals: Iterable[ProblemError]) -> bool:
    """Return whether a goal is by less than half of what was short there away from one that was out of reach.

    A target that never comes within reach is so refused after few times: each costs the search for a posture.
    """
    beyond = [error for error in refusals if isinstance(error, OutOfReachError) and error.asked.keys() <= goal.keys()]
    return any(
        math.hypot(*(goal[name] - value for name, value in error.asked.items())) < CLOSER * error.short
        for error in beyond
    )


def _time(phase: Phase, share: float) -> float:
    if isinstance(phase.duration, str):
        return 0.0
    low, high = np.ravel(phase.duration)[[0, -1]]
    return float(low + share * (high - low))
