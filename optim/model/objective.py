"""The objective of the Pyomo model: one grey box for each term and trajectory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyomo.environ as pyo
from pyomo.common.modeling import unique_component_name

from ..casadi_solver import CasadiGreyBox, attach
from ..collocation.input_cost import effort_function, vibration_function
from ..presolve.phase_transcription import Transcription
from ..presolve.transcribed_problem import TranscribedProblem
from ..problem.objective import Objective
from ..problem.objective_terms import Effort, Final, Integral, Jerk, Time, Tracking
from .equations_of_motion import constants
from .path_cost import path_cost
from .trajectories import Arc
from .variable_index import Places


def add_cost(b: Any, t: Transcription, at: Places, term: Objective) -> Any:
    """Return what a term of the objective costs along a trajectory; on a box named after it, ``b.effort``."""
    if isinstance(term, Time):
        return b.T if t.is_free else t.mesh.duration
    if isinstance(term, Final) and t.phase is not t.problem.phases[-1]:
        return 0.0
    name = unique_component_name(b, type(term).__name__.lower())
    if isinstance(term, (Tracking, Integral)):
        attach(b, name, path_cost(t, at, term, name), at.variables)
        return getattr(b, name).outputs["cost"]
    if isinstance(term, (Effort, Jerk)):
        first = at.first_shaping
        on, index, p = at.variables[first : at.end_shaping], at.shaping - first, constants(t)[:, :1]
        function = effort_function(t.shape, term, len(t.dae.u), t.is_free)
    else:
        on, index, p = at.variables, at.index, constants(t)
        function = vibration_function(t.dae, t.form)
    attach(b, name, CasadiGreyBox(function, index, p, name=name, n_inputs=len(on)), on)
    return getattr(b, name).outputs["cost"]


Placed = Sequence[tuple[Arc, Places]]


def add_objective(m: Any, transcribed: TranscribedProblem, runs: Sequence[Placed]) -> None:
    """Add ``m.objective``; for the worst of several scenarios ``m.worst``, no less than the cost of each of them.

    What scenarios have in common, as effort and time, is there once.
    """
    terms = transcribed.problem.objective.terms
    shared = [(weight, term) for weight, term in terms if term.is_shared or len(runs) == 1]
    own = [(weight, term) for weight, term in terms if not (term.is_shared or len(runs) == 1)]
    total = _cost(runs[0], shared)
    if own:
        costs = [_cost(run, own) for run in runs]
        if transcribed.problem.aggregate == "worst":
            m.worst = pyo.Var(doc="cost of the worst scenario")
            m.worst_case = pyo.Constraint(range(len(costs)), rule=lambda m, s: costs[s] <= m.worst)
            total += m.worst
        else:
            total += sum(costs) / len(costs)
    m.objective = pyo.Objective(expr=total)


def _cost(run: Placed, terms: Sequence[tuple]) -> Any:
    return sum(weight * add_cost(arc.block, arc.transcription, at, term) for weight, term in terms for arc, at in run)
