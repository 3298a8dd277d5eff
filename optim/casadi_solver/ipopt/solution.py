"""Solution loader: an iterate brought back to the Pyomo model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from pyomo.common.collections import ComponentMap
from pyomo.contrib.solver.common.solution_loader import SolutionLoader
from pyomo.core.base.constraint import ConstraintData
from pyomo.core.base.var import VarData

from ..program.nlp import NonlinearProgram
from .iterate import Iterate


class CasadiSolutionLoader(SolutionLoader):
    """Values, duals and reduced costs of the last iterate.

    Signs are Pyomo's: the dual of a constraint is the derivative of the objective, as the user wrote it, with respect
    to the constraint's right-hand side; the reduced cost likewise for the variable's bound.
    """

    def __init__(self, nlp: NonlinearProgram, iterate: Iterate):
        self._pyomo_model = nlp.model
        self._nlp = nlp
        self._iterate = iterate

    def get_number_of_solutions(self) -> int:
        return 1

    def get_vars(self, vars_to_load: Sequence[VarData] | None = None) -> Mapping[VarData, float]:
        values = ComponentMap(zip(self._nlp.variables.free, self._iterate.x.tolist(), strict=True))
        point = np.concatenate([self._iterate.x, self._nlp.variables.fixed_values()])
        for placed in self._nlp.boxes:
            placed.model.set_input_values(point[placed.columns])
            if placed.box.output is not None and placed.eliminated:
                values[placed.box.output] = float(placed.model.evaluate_outputs()[0])
        return _chosen(values, vars_to_load)

    def get_duals(self, cons_to_load: Sequence[ConstraintData] | None = None) -> dict[ConstraintData, float]:
        duals = (-self._nlp.sense * self._iterate.lam_g).tolist()
        duals_by_row = dict(zip(self._nlp.constraints, duals, strict=False))  # rows of grey boxes follow
        return duals_by_row if cons_to_load is None else {con: duals_by_row[con] for con in cons_to_load}

    def get_reduced_costs(self, vars_to_load: Sequence[VarData] | None = None) -> Mapping[VarData, float]:
        return _chosen(self._by_variable(-self._nlp.sense * self._iterate.lam_x), vars_to_load)

    def load_solution(self) -> None:
        """Load values and suffixes into the model and the multipliers of grey boxes into these."""
        super().load_solution()
        padded = np.append(self._iterate.lam_g, 0.0)  # at -1, for residuals that are no constraint
        for box in self._nlp.boxes:
            box.model.set_equality_constraint_multipliers(padded[box.rows])

    def load_import_suffixes(self) -> None:
        suffixes = self._collect_and_clear_import_suffixes()
        sense, lam_x = self._nlp.sense, self._iterate.lam_x
        readers = {
            "dual": self.get_duals,
            "rc": self.get_reduced_costs,
            "ipopt_zL_out": lambda: self._by_variable(sense * np.maximum(-lam_x, 0.0)),
            "ipopt_zU_out": lambda: self._by_variable(-sense * np.maximum(lam_x, 0.0)),
        }
        for name, suffix in suffixes.items():
            if name in readers:
                suffix.update(readers[name]())

    def _by_variable(self, values: np.ndarray) -> ComponentMap:
        return ComponentMap(zip(self._nlp.variables.free, values.tolist(), strict=True))


def _chosen(values: ComponentMap, wanted: Sequence[VarData] | None) -> ComponentMap:
    return values if wanted is None else ComponentMap((var, values[var]) for var in wanted)
