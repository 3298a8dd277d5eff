"""Starts and goals beyond their limits: of states, of the inputs that hold the arm there, and along the path."""

from __future__ import annotations

import numpy as np

from ...errors import ProblemError
from ...tolerances import ROUNDING
from ..phase_transcription import PhaseTranscription
from ..transcribed_problem import TranscribedProblem


def check_limits(transcribed: TranscribedProblem) -> None:
    """Refuse known equilibria whose states or holding inputs violate their limits."""
    for t in transcribed.phases:
        for where, end in (("start", t.begin), ("goal", t.end)):
            if end.kind == "fixed":
                # Inputs that hold the arm at later starts were checked at the goal before.
                holds = not end.moving and (where == "goal" or t.index == 0)
                _check_within(t, where, end.point.x, end.point.u if holds else None)


def _check_within(t: PhaseTranscription, where: str, x: np.ndarray, u: np.ndarray | None) -> None:
    groups = ((t.dae.x, x, t.limits.x, ""), (t.dae.u, u, t.limits.u, " to hold the arm at rest"))
    for group, values, bounds, noun in groups:
        if values is None:
            continue
        slack = ROUNDING * np.maximum(1.0, np.abs(values))
        for i in np.flatnonzero((values < bounds[:, 0] - slack) | (values > bounds[:, 1] + slack)):
            raise ProblemError(
                f"plan: {where}: {group.names[i]} = {values[i]:g} {group.units[i]}{noun}; its limits are "
                f"{bounds[i, 0]:g} to {bounds[i, 1]:g}. Move the {where} or widen the limit."
            )


def check_path(transcribed: TranscribedProblem) -> None:
    """Refuse known equilibria that violate the path constraints."""
    for t in transcribed.phases:
        for where, end, time in t.ends if t.path.rows else ():
            if end.kind != "fixed":
                continue
            values = t.path.at_rest(end.point, time)
            excess = t.path.excess(values) - ROUNDING * np.maximum(1.0, np.abs(values))
            for i in np.flatnonzero(excess > 0):
                raise ProblemError(f"plan: {where}: {t.path.constraints[i].refusal(where, t.path.rows[i], values[i])}")
