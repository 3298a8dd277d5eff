"""Staleness check: whether a compiled program still matches its model."""

from __future__ import annotations

from collections.abc import Collection

from pyomo.contrib.solver.common.config import AutoUpdateConfig
from pyomo.core.base.block import BlockData

from .components import Components, collect, written_expression
from .nlp import NonlinearProgram

#: Kinds of change, as Pyomo calls them.
EVERY_CHANGE = frozenset(AutoUpdateConfig().value())
CONSTRAINTS = "check_for_new_or_removed_constraints"


class Structure:
    """The structure that a program was compiled from, compared with the model before every solve.

    Pyomo's expressions are immutable, so comparing identities suffices. Data read before every solve are not structure:
    values and bounds of variables, Params, parameters of grey boxes, suffixes.
    """

    def __init__(self, nlp: NonlinearProgram):
        self._nlp = nlp
        self._sense = None if nlp.objective is None else nlp.objective.sense
        self._objective = None if nlp.objective is None else nlp.objective.expr
        self._constraints = [written_expression(constraint) for constraint in nlp.components.constraints]
        self._boxes = _boxes(nlp.components)
        self._domains = [var.domain for var in nlp.variables.free]
        self._fixed = [
            *nlp.variables.fixed,
            *(node for node in nlp.constants.nodes if node.is_variable_type()),
            *(node for node, _ in nlp.constants.frozen if node.is_variable_type()),
        ]

    def change(self, model: BlockData, looked_for: Collection[str] = EVERY_CHANGE) -> str | None:
        """Return the change in words, or None.

        Parameters
        ----------
        model : BlockData
        looked_for : collection of str
            Names of the kinds of change that are looked for, of those in Pyomo's ``auto_updates``.

        Raises
        ------
        UnsupportedModelError
            The solver no longer supports the model.
        """
        nlp = self._nlp
        if model is not nlp.model:
            return "another model"
        objective, constraints = "check_for_new_objective" in looked_for, CONSTRAINTS in looked_for
        now = collect(model) if objective or constraints else nlp.components
        if objective and now.objective is not nlp.objective:
            return "another objective"
        if constraints:
            before = {id(constraint) for constraint in nlp.components.constraints}
            added = [constraint.name for constraint in now.constraints if id(constraint) not in before]
            if added or len(now.constraints) != len(before):
                return f"constraint '{added[0]}' added" if added else "constraints removed"
            if _boxes(now) != self._boxes:
                return "grey boxes"
        return self._written(looked_for) or self._variables(looked_for)

    def _written(self, looked_for: Collection[str]) -> str | None:
        """Return the change of an objective, constraint or named Expression of the program."""
        components = self._nlp.components
        if "update_objective" in looked_for and components.objective is not None:
            if components.objective.sense != self._sense:
                return "sense of the objective"
            if components.objective.expr is not self._objective:
                return f"expression of '{components.objective.name}'"
        if "update_constraints" in looked_for:
            for constraint, old in zip(components.constraints, self._constraints, strict=True):
                new = written_expression(constraint)
                if old is not new and not (isinstance(new, tuple) and old == new):
                    return f"expression of '{constraint.name}'"
        if "update_named_expressions" in looked_for:
            for named, old in self._nlp.named:
                if named.expr is not old:
                    return f"expression of '{named.name}'"
        return None

    def _variables(self, looked_for: Collection[str]) -> str | None:
        nlp = self._nlp
        if "update_vars" in looked_for:
            for var in self._fixed:
                if not var.fixed:
                    return f"Var '{var.name}' unfixed"
            free = nlp.variables.free
            for var, domain in zip(free, self._domains, strict=True):
                if var.domain is not domain:
                    return f"domain of Var '{var.name}'"
            fixed = [var.fixed for var in free]
            if any(fixed) and not nlp.has_freedom(fixed):
                return "too few free variables"
        if "update_parameters" in looked_for and not nlp.constants.is_frozen():
            return "an exponent"
        return None


def _boxes(components: Components) -> list[tuple]:
    return [
        (
            box.name,
            id(box.model),
            id(box.model.kernel),
            id(box.model.index),
            tuple(map(id, box.inputs)),
            box.output is not None and (id(box.output), box.output.fixed, box.output.bounds == (None, None)),
        )
        for box in components.boxes
    ]
