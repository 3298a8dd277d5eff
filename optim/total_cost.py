"""The objective of a model: summed over phases, and the mean or the worst of the scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyomo.environ as pyo

from .arcs import Arc
from .boxes import add_cost
from .outline import Outline
from .places import Places

Placed = Sequence[tuple[Arc, Places]]


def add_objective(m: Any, outline: Outline, runs: Sequence[Placed]) -> None:
    """Add ``m.objective``; for the worst of several scenarios ``m.worst``, no less than the cost of each of them.

    What scenarios have in common, as effort and time, is there once.
    """
    terms = outline.problem.objective.terms
    shared = [(weight, term) for weight, term in terms if term.is_shared or len(runs) == 1]
    own = [(weight, term) for weight, term in terms if not (term.is_shared or len(runs) == 1)]
    total = _cost(runs[0], shared)
    if own:
        costs = [_cost(run, own) for run in runs]
        if outline.problem.aggregate == "worst":
            m.worst = pyo.Var(doc="cost of the worst scenario")
            m.worst_case = pyo.Constraint(range(len(costs)), rule=lambda m, s: costs[s] <= m.worst)
            total += m.worst
        else:
            total += sum(costs) / len(costs)
    m.objective = pyo.Objective(expr=total)


def _cost(run: Placed, terms: Sequence[tuple]) -> Any:
    return sum(weight * add_cost(arc.block, arc.transcription, at, term) for weight, term in terms for arc, at in run)
