"""Refine the mesh of a plan until it replays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .errors import PlanError, ProblemError
from .planned import Plan
from .replay import DEFAULT_MISS, MOST_ENERGY
from .stages import NEAR, PATIENCE, Solving, attempts_of
from .violations import Violation
from .warm_start import start_from

MOST_INTERVALS = 800
MOST_INTRUSION = 1e-3  # m into a region, or out of it
MOST_EXCESS = 0.01  # of any other limit


def tolerance_of(refine: Any) -> float | None:
    """Return the greatest miss [m] that a user asks for; None for no refinement.

    Raises
    ------
    ProblemError
        It is no length.
    """
    if refine is None or refine is False:
        return None
    if refine is True:
        return DEFAULT_MISS
    if isinstance(refine, (int, float)) and 0 < refine < float("inf"):
        return float(refine)
    raise ProblemError(
        f"plan: refine = {refine!r}; must be True for {1e3 * DEFAULT_MISS:g} mm, or the greatest miss of the replay "
        "> 0 m."
    )


def refined(plan: Plan, solving: Solving, tolerance: float) -> Plan:
    """Return the plan on the first mesh, each of twice the intervals of the one before, on which it replays.

    It replays if its replay misses the goal by less than `tolerance` [m], leaves less than 1e-4 J besides a leeway,
    goes no more than 1 mm into a region that it keeps out of (or out of one it stays in), and exceeds no other limit by
    more than 1 %. A finer mesh starts from the coarser plan. Beyond 800 intervals of a phase, or where a finer mesh
    finds no optimum, the best plan so far comes back with the status ``"unresolved"``.
    """
    best, least = plan, float("inf")
    while True:
        plan, excess = _replayed(plan, tolerance)
        if excess < least:
            best, least = plan, excess
        if least < 1:
            return best
        intervals = [2 * count for count in plan.outline.intervals]
        if max(intervals) > MOST_INTERVALS:
            return replace(best, status="unresolved", attempts=plan.attempts)
        finer = solving.model(plan.outline.problem, intervals)
        start_from(finer, plan.model)
        try:
            plan = solving.attempt("refined from there", finer, plan.attempts, max_iter=PATIENCE, **NEAR)
        except PlanError as error:
            return replace(best, status="unresolved", attempts=attempts_of(error))


def _replayed(plan: Plan, tolerance: float) -> tuple[Plan, float]:
    """Return the plan with its replay noted, and how its errors compare with what is allowed (1 is just so)."""
    replay = plan.replay()
    # An arm without ends has no place to miss, and a motion that passes on no energy to lose: the other counts alone.
    miss = replay.tip_miss if replay.misses else 0.0
    left = 0.0 if np.isnan(replay.energy_left) else replay.energy_left
    noted = replace(plan.attempts[-1], tip_miss=miss, energy_left=left)
    leeway = max(phase.leeway for phase in plan.outline.problem.phases)
    beyond = [_beyond(plan, one) for one in replay.excesses]
    excess = max(miss / tolerance, abs(left) / (MOST_ENERGY + leeway), *beyond)
    return replace(plan, attempts=(*plan.attempts[:-1], noted)), excess


def _beyond(plan: Plan, excess: Violation) -> float:
    """Return how an excess between collocation points compares with what is allowed (1 is just so)."""
    for t in plan.outline.first:
        if excess.name in t.path.names:
            i = t.path.names.index(excess.name)
            limits = (t.path.low[i], t.path.high[i])
            if t.path.regions[i] is not None:
                return excess.amount / MOST_INTRUSION
        else:
            limits = t.problem.ranges_in(t.phase).get(excess.name, ())
        sizes = [abs(limit) for limit in limits if np.isfinite(limit) and limit]
        if limits:
            return excess.amount / (MOST_EXCESS * max(sizes, default=1.0))
    return 0.0
