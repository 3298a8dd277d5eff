"""Elastic relaxation of a planner's model: a copy that minimises the violation of its limits."""

from __future__ import annotations

from typing import Any

from ..model.penalty import Elastic, Penalty, widened

TIE = 1e-4  # weight of the objective relative to the violations: only a tie-breaker


def relax(model: Any) -> Elastic:
    """Return the elastic relaxation of a planner's model, a copy that minimises the violation of its limits.

    Limits, and Vars and Constraints added by hand, are relaxed, each side of a limit by one amount for all times.
    Equations of motion, boundary and linkage constraints, and fixed Vars are kept.
    """
    return widened(model.clone(), Penalty("limits", 1 / TIE), [])
