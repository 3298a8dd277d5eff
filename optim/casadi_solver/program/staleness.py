"""Staleness check: whether a compiled program still matches its model."""

from __future__ import annotations

from pyomo.core.base.block import BlockData

from .components import Components, collect
from .nlp import NonlinearProgram


class Structure:
    """The structure that a program was compiled from, compared with the model before every solve.

    Pyomo's expressions are immutable, so comparing identities suffices. Data read before every solve are not structure:
    values and bounds of variables, Params, parameters of grey boxes, suffixes.
    """

    def __init__(self, nlp: NonlinearProgram):
        self._nlp = nlp
        self._sense = None if nlp.objective is None else nlp.objective.sense
        self._expressions = _expressions(nlp.components)
        self._boxes = _boxes(nlp.components)
        self._domains = [var.domain for var in nlp.variables.free]
        self._fixed = [
            *nlp.variables.fixed,
            *(node for node in nlp.constants.nodes if node.is_variable_type()),
            *(node for node, _ in nlp.constants.frozen if node.is_variable_type()),
        ]

    def change(self, model: BlockData) -> str | None:
        """Return the change in words, or None.

        Raises
        ------
        UnsupportedModelError
            The solver no longer supports the model.
        """
        nlp = self._nlp
        if model is not nlp.model:
            return "another model"
        now = collect(model)
        if now.objective is not nlp.objective:
            return "another objective"
        if now.objective is not None and now.objective.sense != self._sense:
            return "sense of the objective"
        before = {id(constraint) for constraint in nlp.components.constraints}
        added = [constraint.name for constraint in now.constraints if id(constraint) not in before]
        if added or len(now.constraints) != len(before):
            return f"constraint '{added[0]}' added" if added else "constraints removed"
        for component, old, new in zip(_named(now), self._expressions, _expressions(now), strict=True):
            if old is not new:
                return f"expression of '{component.name}'"
        for named, old in nlp.named:
            if named.expr is not old:
                return f"expression of '{named.name}'"
        if _boxes(now) != self._boxes:
            return "grey boxes"
        return self._variables() or (None if nlp.constants.is_frozen() else "an exponent")

    def _variables(self) -> str | None:
        nlp = self._nlp
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
        return None


def _named(components: Components) -> list:
    objective = [] if components.objective is None else [components.objective]
    return [*objective, *components.constraints]


def _expressions(components: Components) -> list:
    return [component.expr for component in _named(components)]


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
