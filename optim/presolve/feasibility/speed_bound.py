"""Shortest times at a speed limit: the straight way between two places, the shortest turn between two attitudes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from flexblocks.dae.dae import DAE

from ...errors import ProblemError
from ...problem.path_constraints.speed_limit import SpeedLimit
from ...problem.validation import Duration
from ..boundary import End
from ..path_values import PathValues, resolved_path

ROUNDING = 1e-9  # of a time, relative


def check_speeds(dae: DAE, path: PathValues, begin: End, end: End, duration: Duration) -> None:
    """Refuse a motion between known postures that exceeds its duration even at its speed limits throughout.

    Raises
    ------
    ProblemError
        The message names the frame, its limit and the minimum duration.
    """
    limits = {one: None for one in path.constraints if isinstance(one, SpeedLimit)}  # once each, in their order
    if not limits or begin.kind != "fixed" or end.kind != "fixed":
        return
    longest = np.inf if isinstance(duration, str) else float(np.max(duration))
    for limit in limits:
        for frame in limit.frames:
            for way, unit, fastest in _ways(dae, limit, frame, begin, end):
                if way / fastest > longest * (1 + ROUNDING):
                    raise ProblemError(
                        f"plan: path: {limit.label}: {frame} has to go {way:.4g} {unit} at least, which takes "
                        f"{way / fastest:.4g} s at {fastest:g} {unit}/s; the duration is {longest:.4g} s at most. "
                        "Raise the limit or the duration."
                    )


def _ways(dae: DAE, limit: SpeedLimit, frame: str, begin: End, end: End) -> Iterator[tuple[float, str, float]]:
    """Yield the length of the shortest way from start to goal, its unit, and the speed allowed."""
    if limit.speed is not None:
        places = _values(dae, [f"{frame}.{axis}" for axis in "xyz"], (begin, end))
        yield float(np.linalg.norm(places[1] - places[0])), "m", limit.speed
    if limit.turning is not None:
        names = [f"{frame}.rotation_{row}{column}" for row in "xyz" for column in "xyz"]
        R0, R1 = _values(dae, names, (begin, end)).reshape(2, 3, 3)
        # The Frobenius norm of a difference of rotations is sqrt(8) times the sine of half the angle between them.
        half = min(1.0, float(np.linalg.norm(R1 - R0)) / np.sqrt(8.0))
        yield 2.0 * float(np.arcsin(half)), "rad", limit.turning


def _values(dae: DAE, names: Sequence[str], ends: Sequence[End]) -> np.ndarray:
    """Return signals (ends, names) at the ends."""
    signals = resolved_path(dae, dict.fromkeys(names, (-np.inf, np.inf)), ())
    return np.array([signals.at_rest(end.point, 0.0) for end in ends])
