"""Shortest times: a change at the largest rate, the straight way between two places, a turn between two attitudes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...errors import ProblemError
from ...problem.path_constraints.speed_limit import SpeedLimit
from ...tolerances import ROUNDING
from ..path_values import resolved_path
from ..phase_transcription import PhaseTranscription
from ..transcribed_problem import TranscribedProblem


def _between_known(transcribed: TranscribedProblem) -> Iterator[tuple[PhaseTranscription, float]]:
    """Yield the phases between known postures, with their longest duration [s]."""
    for t in transcribed.phases:
        if t.begin.kind == t.end.kind == "fixed":
            yield t, np.inf if isinstance(t.phase.duration, str) else float(np.max(t.phase.duration))


def check_rates(transcribed: TranscribedProblem) -> None:
    """Refuse a motion between known equilibria that exceeds its duration even at the rate limits throughout.

    Where inputs begin and end at their holding values, their rates count, too.
    """
    for t, longest in _between_known(transcribed):
        n, start, goal = t.dae.tree.size, t.start, t.goal
        names, units, steps = t.dae.q_names, t.dae.x.units[:n], goal.x[:n] - start.x[:n]
        limits = t.limits.x[n : 2 * n]
        if t.is_holding and len(transcribed.first) == 1:
            names, units = (*names, *t.dae.u.names), (*units, *t.dae.u.units)
            steps, limits = np.append(steps, goal.u - start.u), np.vstack([limits, t.limits.du])
        fastest = np.where(steps > 0, limits[:, 1], limits[:, 0])
        needed = np.full(len(steps), np.inf)
        np.divide(steps, fastest, out=needed, where=np.sign(steps) * np.sign(fastest) > 0)
        for i in np.flatnonzero((np.abs(steps) > ROUNDING) & (needed > longest * (1 + ROUNDING))):
            name, unit, (low, high) = names[i], units[i], limits[i]
            how_long = "never gets there" if np.isinf(needed[i]) else f"takes {needed[i]:.4g} s at least"
            raise ProblemError(
                f"RestToRest: limits: der({name}) within {low:g} to {high:g} {unit}/s: {name} has to change by "
                f"{steps[i]:.4g} {unit}, which {how_long}; the duration is {longest:.4g} s at most. Widen the limit or "
                "the duration."
            )


def check_speeds(transcribed: TranscribedProblem) -> None:
    """Refuse a motion between known postures that exceeds its duration even at its speed limits throughout."""
    for t, longest in _between_known(transcribed):
        for limit in dict.fromkeys(one for one in t.path.constraints if isinstance(one, SpeedLimit)):
            for frame, way, unit, fastest in _ways(t, limit):
                if way / fastest > longest * (1 + ROUNDING):
                    raise ProblemError(
                        f"plan: path: {limit.label}: {frame} has to go {way:.4g} {unit} at least, which takes "
                        f"{way / fastest:.4g} s at {fastest:g} {unit}/s; the duration is {longest:.4g} s at most. "
                        "Raise the limit or the duration."
                    )


def _ways(t: PhaseTranscription, limit: SpeedLimit) -> Iterator[tuple[str, float, str, float]]:
    """Yield frames, the length of the shortest way from start to goal of each, its unit, and the speed allowed."""
    for frame in limit.frames:
        if limit.speed is not None:
            places = _values(t, [f"{frame}.{axis}" for axis in "xyz"])
            yield frame, float(np.linalg.norm(places[1] - places[0])), "m", limit.speed
        if limit.turning is not None:
            names = [f"{frame}.rotation_{row}{column}" for row in "xyz" for column in "xyz"]
            R0, R1 = _values(t, names).reshape(2, 3, 3)
            # The Frobenius norm of a difference of rotations is sqrt(8) times the sine of half the angle between them.
            half = min(1.0, float(np.linalg.norm(R1 - R0)) / np.sqrt(8.0))
            yield frame, 2.0 * float(np.arcsin(half)), "rad", limit.turning


def _values(t: PhaseTranscription, names: Sequence[str]) -> np.ndarray:
    """Return signals (2, names) at start and goal."""
    signals = resolved_path(t.dae, dict.fromkeys(names, (-np.inf, np.inf)), ())
    return np.array([signals.at_rest(point, 0.0) for point in (t.start, t.goal)])
