"""The objective of the Pyomo model: one grey box for each term and phase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
import pyomo.environ as pyo
from pyomo.common.modeling import unique_component_name
from pyomo.contrib.pynumero.interfaces.external_grey_box import ExternalGreyBoxBlock

from ..casadi_solver import CasadiGreyBox, Kernel, attach
from ..collocation.cost_functions import final_kernel, integral_kernel, squared_inputs
from ..errors import ProblemError
from ..presolve.bounds import chosen_inputs
from ..presolve.phase_transcription import PhaseTranscription
from ..presolve.transcribed_problem import TranscribedProblem
from ..problem.objectives.functionals import Lagrangian, Mayer
from ..problem.objectives.objective import Objective
from .equations_of_motion import steps
from .path_constraints import path_constants
from .variable_index import VariableIndex


@dataclass(frozen=True, eq=False)
class PhaseCosts:
    """The costs of objective terms on the Pyomo block of a phase, an implementation of `PhaseModel`.

    Attributes
    ----------
    block : Block or ConcreteModel
    transcription : PhaseTranscription
    index : VariableIndex
    """

    block: Any
    transcription: PhaseTranscription
    index: VariableIndex

    @property
    def duration(self) -> Any:
        t = self.transcription
        return self.block.T if t.is_free else t.mesh.duration

    def integral_of_squared_inputs(self, term: Objective) -> Any:
        t, index = self.transcription, self.index
        chosen = np.isin(t.dae.u.names, chosen_inputs(t.dae, t.problem))  # what is known counts for nothing
        weights = {order: chosen * of_order for order, of_order in term.input_weights(t.dae.u.names).items()}
        function = squared_inputs(t.shape, weights, t.is_free)
        on = index.variables[index.first_shaping : index.end_shaping]
        return self._box(term, function, index.shaping - index.first_shaping, steps(t)[:, None], on)

    def integral(self, term: Lagrangian) -> Any:
        t = self.transcription
        data = path_constants(t)
        if term.references:
            references = term.reference_values(t.mesh.within(t.scheme.nodes), t.mesh.duration, t.is_free)
            data = np.hstack([data, np.moveaxis(references, 0, 2).reshape(len(data), -1)])
        return self._box(term, integral_kernel(t.dae, t.form, term), self.index.local, data, self.index.variables)

    def final_value(self, term: Mayer) -> Any:
        t = self.transcription
        if t.phase is not t.problem.phases[-1]:
            return 0.0
        kernel = final_kernel(t.dae, t.form, term)
        return self._box(term, kernel, self.index.local[-1:], path_constants(t)[-1:], self.index.variables)

    def _box(
        self, term: Objective, function: ca.Function | Kernel, index: np.ndarray, data: np.ndarray, on: Sequence
    ) -> Any:
        """Add the cost as a grey box named after the term, as ``b.effort``; return its output."""
        name = unique_component_name(self.block, term.label)
        box = CasadiGreyBox(function, index, data, name=name, n_inputs=len(on))
        if not box.has_cost:
            raise ProblemError(
                f"plan: objective: {term} is the same for all motions of '{self.transcription.dae.name}'; leave it "
                "out, or name what depends on the motion."
            )
        return attach(self.block, name, box, on).outputs["cost"]  # pyright: ignore[reportAttributeAccessIssue]


def add_objective(m: Any, transcribed: TranscribedProblem, scenarios: Sequence[Sequence[PhaseCosts]]) -> None:
    """Add the objective ``m.objective``; for the worst of several scenarios also the epigraph variable ``m.worst``.

    Terms that scenarios share, such as effort and time, are counted once.
    """
    terms = transcribed.objective.terms
    shared = [(weight, term) for weight, term in terms if term.is_shared or len(scenarios) == 1]
    others = [(weight, term) for weight, term in terms if not (term.is_shared or len(scenarios) == 1)]
    total = _cost(scenarios[0], shared)
    if others:
        costs = [_cost(phases, others) for phases in scenarios]
        if transcribed.problem.aggregate == "worst":
            m.worst = pyo.Var(doc="cost of the worst scenario")
            m.worst_case = pyo.Constraint(range(len(costs)), rule=lambda m, s: costs[s] <= m.worst)
            total += m.worst
        else:
            total += sum(costs) / len(costs)
    m.objective = pyo.Objective(expr=total)


def set_costs(m: Any) -> None:
    """Set the costs of a model that was not solved to those of its present motion."""
    for block in m.component_data_objects(ExternalGreyBoxBlock, descend_into=(pyo.Block, ExternalGreyBoxBlock)):
        box = block.get_external_model()
        if box.has_cost:
            box.set_input_values([variable.value for variable in block.inputs.values()])
            block.outputs["cost"].set_value(float(box.evaluate_outputs()[0]))
    if m.component("worst") is not None:
        m.worst.set_value(0.0)
        costs = np.array([pyo.value(row.body) for row in m.worst_case.values()], dtype=float)
        m.worst.set_value(float(costs.max()))


def _cost(phases: Sequence[PhaseCosts], terms: Sequence[tuple[float, Objective]]) -> Any:
    return sum(weight * term.cost(phase) for weight, term in terms for phase in phases)
