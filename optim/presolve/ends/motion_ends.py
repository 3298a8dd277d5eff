"""Motion ends: the boundary conditions of every phase in every scenario, with the durations of a first guess."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..boundary import Ends
from ..resolved_problem import ResolvedProblem
from ..rigid_motion.duration_estimate import estimated_duration
from .meeting_times import met_ends
from .phase_ends import phase_ends
from .shared_travel import sharing


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
        ends, times = met_ends(phases, ends_at, meeting)
    else:
        ends = ends_at(times)
    is_known = [phase.is_timed or bool(phase.courses and times[i]) for i, phase in enumerate(phases)]
    return ends, [times[i] if is_known[i] else estimated(ends, i) for i in range(len(phases))]
