"""Content of planned motions: plans, their replays and audits."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from flexblocks.notebook.content import Content, Text, table

if TYPE_CHECKING:
    from flexblocks.optim import Audit, Plan, Replay


def plan(shown: Plan) -> Content:
    """Return the summary of a plan, and the attempts that led to it."""
    attempts = [asdict(attempt) for attempt in shown.attempts]
    tried = table("Attempts", attempts[0], [list(attempt.values()) for attempt in attempts]) if attempts else ()
    return Content(repr(shown), (Text(shown.summary()), *tried))


def replay(shown: Replay) -> Content:
    """Return how a replay ended: the miss of each end point, the energy left, violated limits."""
    runs = shown.scenarios or (shown,)
    rows = [
        (i, name, 1e3 * miss, one.energy_left if np.isfinite(one.energy_left) else None)
        for i, one in enumerate(runs)
        for name, miss in one.misses.items()
    ]
    beyond = [(i, str(excess)) for i, one in enumerate(runs) for excess in one.excesses]
    return Content(
        f"Replay of '{shown.trajectory.name}'",
        (
            Text(str(shown)),
            *table("", ("scenario", "end point", "misses the goal by [mm]", "energy left [J]"), rows),
            *table("Beyond its limits", ("scenario", "violation"), beyond),
        ),
    )


def audit(shown: Audit) -> Content:
    """Return the verdict of an audit and its figures, those before refinement first."""
    earlier = () if shown.before is None else audit(shown.before).parts
    models = ("plan", "replay", "finer")
    rows = [
        (f"{name} [{unit}]" if unit else str(name), *map(_figure, values))
        for name, unit, *values in shown.to_pandas()[["unit", *models]].itertuples()
    ]
    figures = table("", ("figure", *models), rows)
    before = () if shown.before is None else (*earlier, Text("refined:"))
    return Content(shown.verdict, (*before, *figures))


def _figure(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.3g}"
