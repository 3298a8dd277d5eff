"""Limits that a replay exceeds, and the margins that keep the plan within them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...model.violations import Violation
from ...results.plan import Plan
from ...verification.criteria import Allowed
from ...verification.replay import Replay
from ..settings import Settings


def relative_excesses(plan: Plan, replay: Replay, most: Allowed, settings: Settings) -> dict[str, float]:
    """Return by how much a replay exceeds limits and path constraints, by name, relative to what is allowed."""
    excesses: dict[str, float] = {}
    for excess in replay.excesses:
        excesses[excess.name] = max(_relative(plan, excess, most, settings), excesses.get(excess.name, 0.0))
    return excesses


def widened_margins(plan: Plan, replay: Replay, relative: Mapping[str, float]) -> dict[str, float]:
    """Return the margins of a plan, those of limits that its replay exceeds wider by as much as that.

    Vibrations that the mesh dissipates swing an arm beyond limits that the plan touches, on fine meshes, too, where it
    arrives as planned: the optimum excites what is not resolved. A plan that stays off them by what the arm swings
    beyond keeps them.
    """
    margins = dict(plan.transcribed.options.margins or {})
    for excess in sorted(replay.excesses, key=lambda excess: excess.amount):  # of a limit in two phases, the largest
        if relative[excess.name] >= 1:
            margins[excess.name] = (plan.transcribed.options.margins or {}).get(excess.name, 0.0) + excess.amount
    return margins


def _relative(plan: Plan, excess: Violation, most: Allowed, settings: Settings) -> float:
    for t in plan.transcribed.first:
        if excess.name in t.path.names:
            i = t.path.names.index(excess.name)
            limits = (t.path.low[i], t.path.high[i])
            if t.path.constraints[i].is_distance:
                return excess.amount / (settings.most_intrusion * most.share)
        else:
            limits = t.problem.ranges_in(t.phase).get(excess.name, ())
        sizes = [abs(limit) for limit in limits if np.isfinite(limit) and limit]
        if limits:
            return excess.amount / (settings.most_excess * max(sizes, default=1.0))
    return 0.0
