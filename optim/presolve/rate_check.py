"""Motions that limited rates forbid, whatever the arm: told before anything is computed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.statics.operating_point import OperatingPoint

from ..errors import ProblemError
from ..problem.validation import Duration
from .boundary import End
from .bounds import Limits

ROUNDING = 1e-9


def check_reachable(dae: DAE, limits: Limits, begin: End, end: End, duration: Duration, holding: bool) -> None:
    """Refuse a motion between known rests that takes too long at the greatest rates allowed all the way.

    Parameters
    ----------
    dae : DAE
    limits : Limits
    begin, end : End
    duration : float, (float, float) or "free"
    holding : bool
        Whether the inputs begin and end at what holds the arm, so that their rates count too.

    Raises
    ------
    ProblemError
        Names what moves, its limit, and the least duration.
    """
    if begin.kind != "fixed" or end.kind != "fixed":
        return
    longest = np.inf if isinstance(duration, str) else float(np.max(duration))
    for name, unit, step, (low, high) in _moves(dae, limits, begin.point, end.point, holding):
        if abs(step) <= ROUNDING:
            continue
        fastest = high if step > 0 else low
        least = np.inf if step * fastest <= 0 else step / fastest
        if least > longest * (1 + ROUNDING):
            needed = "never gets there" if np.isinf(least) else f"takes {least:.4g} s at least"
            raise ProblemError(
                f"RestToRest: limits: der({name}) within {low:g} to {high:g} {unit}/s: {name} has to change by "
                f"{step:.4g} {unit}, which {needed}; the duration is {longest:.4g} s at most. Widen the limit or the "
                "duration."
            )


def _moves(
    dae: DAE, limits: Limits, start: OperatingPoint, goal: OperatingPoint, holding: bool
) -> Iterator[tuple[str, str, float, np.ndarray]]:
    n = dae.tree.size
    for i, name in enumerate(dae.q_names):
        yield name, dae.x.units[i], float(goal.x[i] - start.x[i]), limits.x[n + i]
    if holding:
        for i, name in enumerate(dae.u.names):
            yield name, dae.u.units[i], float(goal.u[i] - start.u[i]), limits.du[i]
