"""Moved ends: start or goal that were fixed to other values by hand after the model was built."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

from ..errors import PlanWarning
from ..model.boundary_conditions import moved_boundaries
from ..model.trajectories import PhaseTrajectory


def warn_of_moved_ends(runs: Iterable[Iterable[PhaseTrajectory]]) -> None:
    """Warn if start or goal of a phase have other values than in the problem.

    Warns
    -----
    PlanWarning
    """
    moved = [text for run in runs for traj in run for text in moved_boundaries(traj.block, traj.transcription)]
    if moved:
        more = f" (and {len(moved) - 1} more)" if moved[1:] else ""
        warnings.warn(
            f"Plan: {moved[0]}, as in the problem{more}; replay and summary refer to the problem. Change start and "
            "goal by optim.repose(model, problem).",
            PlanWarning,
            stacklevel=3,
        )
