"""Arrival at a goal where some modes are carried quasi-statically: of those only the balance of forces decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyomo.environ as pyo

from .transcription import Transcription

ROUNDING = 1e-12


def add_arrival(b: Any, t: Transcription, k: int, goal: Sequence[Any]) -> None:
    """Add ``b.goal_posture``: at mesh point `k` the coordinates are those of `goal` but for the modes carried so.

    What a goal says of these would be said twice where the inputs end at what holds the arm, and their balance then
    brings them to rest as well.

    Parameters
    ----------
    goal : sequence of n numbers or Vars
    """
    n, names = t.dae.tree.size, t.dae.q_names
    moving = t.static.moving(n)

    def equal(_: Any, name: str) -> Any:
        row = moving[names.index(name)].tolist()
        return sum(share * (b.q[k, names[j]] - goal[j]) for j, share in enumerate(row) if abs(share) > ROUNDING) == 0

    told = [names[i] for i in t.static.independent(n)]
    b.goal_posture = pyo.Constraint(told, rule=equal)
