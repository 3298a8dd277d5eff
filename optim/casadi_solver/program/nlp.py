"""Nonlinear program: a Pyomo model compiled to coefficients and mapped kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
import pyomo.environ as pyo
from pyomo.core.base.block import BlockData
from pyomo.core.base.constraint import ConstraintData
from pyomo.core.base.expression import NamedExpressionData
from pyomo.core.base.objective import ObjectiveData

from ..greyboxes.kernel import differentiate
from ..greyboxes.mapped_kernel import MappedKernel
from .coefficients import Coefficients
from .components import Components, collect
from .constants import Constants
from .placement import PlacedBox, is_eliminable, place
from .rows import Rows
from .trivial import TrivialRows
from .variables import ProgramVariables


@dataclass(frozen=True)
class NonlinearProgram:
    """min f = constant + gradient' x + costs of the terms; lower <= matrix x + residuals of the terms <= upper.

    Attributes
    ----------
    components : Components
        What the program was compiled from.
    constants : Constants
        Params and fixed variables, if they are symbolic.
    objective : ObjectiveData or None
    sense : int
        1 to minimise, -1 to maximise; f is the objective times this.
    variables : ProgramVariables
    constraints : list of ConstraintData
        Constraints of the first rows; rows of grey boxes follow.
    lower, upper, gradient : Coefficients (m,), (m,), (n,)
    constant : Coefficients (1,)
    pattern : casadi.Sparsity (m, n)
        Of the matrix.
    entries : Coefficients
        Its nonzeros, column by column.
    terms : list of MappedKernel
        That of all expressions, if there is one, then those of the boxes.
    weights : Coefficients
        Factor of every term's cost in the objective.
    boxes : list of PlacedBox
    trivial : TrivialRows or None
    named : list of (NamedExpressionData, expression)
        Named Expressions, with their expressions.
    """

    model: BlockData
    components: Components
    constants: Constants
    objective: ObjectiveData | None
    sense: int
    variables: ProgramVariables
    constraints: list[ConstraintData]
    lower: Coefficients
    upper: Coefficients
    gradient: Coefficients
    constant: Coefficients
    pattern: ca.Sparsity
    entries: Coefficients
    terms: Sequence[MappedKernel]
    weights: Coefficients
    boxes: Sequence[PlacedBox]
    trivial: TrivialRows | None
    named: Sequence[tuple[NamedExpressionData, object]]

    def parameters(self, constants: np.ndarray) -> np.ndarray:
        """Return the parameters of all terms' copies in turn, for values of the constants."""
        algebraic = [constants] * (len(self.terms) - len(self.boxes))
        boxes = [box.model.parameters.ravel() for box in self.boxes]
        return np.concatenate([np.zeros(0), *algebraic, *boxes])

    def row_name(self, row: int) -> str:
        """Return the name of the constraint of a row."""
        if row < len(self.constraints):
            return self.constraints[row].name
        for box in self.boxes:
            places = np.flatnonzero(box.rows == row)
            if len(places):
                return box.model.equality_constraint_names()[places[0]]
        return "the value of a grey box"

    def has_freedom(self, fixed: Sequence[bool]) -> bool:
        """Whether enough variables are free when some (n,) are fixed: one in every row, and no fewer than equations."""
        free = np.append(~np.array(fixed, dtype=bool), np.zeros(len(self.variables.fixed), dtype=bool))
        places = [tuple(np.array(part, dtype=np.int64) for part in self.pattern.get_triplet())]
        for term in self.terms:
            columns = term.gradient_indices()
            places += [term.jacobian_indices(), (np.full_like(columns, term.cost_row), columns)]
        reached = np.zeros(len(self.lower) + 1, dtype=bool)  # the last entry absorbs residuals that are not constraints
        for row, column in places:
            reached[row[free[column]]] = True
        equations = int((self.lower.fixed == self.upper.fixed).sum())  # varying ones count as well
        return bool(reached[:-1].all()) and int(free.sum()) >= equations


def compile_nlp(model: BlockData, symbolic: bool = False) -> NonlinearProgram:
    """Compile a Pyomo model to a nonlinear program.

    Parameters
    ----------
    model : BlockData
    symbolic : bool
        Whether Params and fixed variables are symbolic, so that the program is valid for other values too. Otherwise
        only start values, bounds of variables, and the fixed variables and parameters of grey boxes may change.

    Raises
    ------
    UnsupportedModelError
        Integer variables, several objectives, foreign grey boxes, unsupported components or functions.
    """
    # Rows of the constraints, and the objective, as coefficients and symbols
    components, constants = collect(model), Constants(symbolic)
    rows = Rows(constants)
    for constraint in components.constraints:
        rows.add(constraint)
    objective = components.objective
    sense = -1 if objective is not None and objective.sense == pyo.maximize else 1
    affine = rows.set_objective(0.0 if objective is None else objective.expr)
    goal = {key: sense * coefficient for key, coefficient in affine.coefficients.items()}

    # Columns: variables in the order met; outputs of grey boxes are eliminated if possible
    met, variables = rows.variables(), ProgramVariables()
    variables.add(met[key] for key in rows.key)
    variables.add(rows.nonlinear_variables.values())
    for box in components.boxes:
        variables.add(box.inputs)
    outputs = [box.output for box in components.boxes if box.output is not None]
    weights = {id(var): goal.pop(id(var), 0.0) for var in outputs if is_eliminable(var, variables)}
    variables.add(met[key] for key in goal)
    variables.add(var for var in outputs if id(var) not in weights and not var.fixed)

    # Mapped kernels: all expressions as one, each grey box as one
    boxes = [place(box, weights.get(id(box.output)), variables, rows) for box in components.boxes]
    algebraic = [_algebraic_term(rows, variables)] if rows.residuals or rows.cost is not None else []
    factors = [sense] * len(algebraic)
    factors += [weights.get(id(box.output), 0.0) for box in components.boxes]
    # The sparse matrix of the linear parts
    n, m = len(variables.free), len(rows.lower)
    gradient = dict(zip(variables.positions(goal).tolist(), goal.values(), strict=True))
    pattern, order = _column_major(np.array(rows.row, dtype=np.int64), variables.positions(rows.key), (m, n))

    def coefficients(entries: Sequence) -> Coefficients:
        return Coefficients.of(entries, constants)

    return NonlinearProgram(
        model=model,
        components=components,
        constants=constants,
        objective=objective,
        sense=sense,
        variables=variables,
        constraints=rows.constraints,
        lower=coefficients(rows.lower),
        upper=coefficients(rows.upper),
        gradient=coefficients([gradient.get(i, 0.0) for i in range(n)]),
        constant=coefficients([sense * affine.constant]),
        pattern=pattern,
        entries=coefficients(rows.coefficient).reordered(order),
        terms=[*algebraic, *(box.term for box in boxes)],
        weights=coefficients(factors),
        boxes=boxes,
        trivial=rows.trivial(),
        named=rows.named,
    )


def _column_major(row: np.ndarray, col: np.ndarray, shape: tuple[int, int]) -> tuple[ca.Sparsity, np.ndarray]:
    """Return the sparsity of triplets without duplicates, and their order in it."""
    order = np.lexsort((row, col))
    starts = np.concatenate([[0], np.cumsum(np.bincount(col, minlength=shape[1]))])
    return ca.Sparsity(*shape, starts.tolist(), row[order].tolist()), order


def _algebraic_term(rows: Rows, variables: ProgramVariables) -> MappedKernel:
    """Return the nonlinear Pyomo expressions as one copy of one kernel."""
    walker, cost = rows.walker, rows.cost
    symbols = ca.vertcat(*walker.symbols.values())
    residual = ca.vertcat(ca.SX(0, 1), *rows.residuals)
    kernel = differentiate(symbols, rows.constants.symbol, residual, ca.SX(0) if cost is None else cost, "algebraic")
    return MappedKernel(
        kernel=kernel,
        columns=variables.positions(walker.symbols)[None, :],
        rows=np.array(rows.residual_rows, dtype=np.int64)[None, :],
        in_objective=cost is not None,
    )
