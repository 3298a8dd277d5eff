"""Meeting times: when a target on a course is met, as a first guess; the optimisation does the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...errors import ProblemError
from ...problem.phase import Phase
from ..boundary import End

Ends = list[list[tuple[End, End]]]

# How often the time to meet a target is estimated again where the target is by then.
MEETINGS = 3
# Where in the range of a duration it is looked for.
SHARES = (0.5, 0.25, 0.75, 0.0, 1.0)


def met_ends(
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
    refusal = None
    is_looked_for = [bool(phase.courses) and isinstance(phase.duration, tuple) for phase in phases]
    for share in SHARES if any(is_looked_for) else SHARES[:1]:
        times = [
            _time(phase, share if is_it else SHARES[0]) for phase, is_it in zip(phases, is_looked_for, strict=True)
        ]
        try:
            return ends_at(times), times
        except ProblemError as error:
            refusal = refusal or error
    assert refusal is not None
    raise refusal


def _time(phase: Phase, share: float) -> float:
    if isinstance(phase.duration, str):
        return 0.0
    low, high = np.ravel(phase.duration)[[0, -1]]
    return float(low + share * (high - low))
