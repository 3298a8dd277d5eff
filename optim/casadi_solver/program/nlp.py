"""Nonlinear program: a Pyomo model compiled to coefficients and mapped kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
import pyomo.environ as pyo
from pyomo.core.base.block import BlockData
from pyomo.core.base.constraint import ConstraintData
from pyomo.core.base.objective import ObjectiveData

from ..greyboxes.kernel import differentiate
from ..greyboxes.mapped_kernel import MappedKernel
from .components import collect
from .placement import PlacedBox, is_eliminable, place
from .rows import Rows
from .trivial import TrivialRows
from .variables import ProgramVariables


@dataclass(frozen=True)
class NonlinearProgram:
    """min f = constant + gradient' x + costs of the terms; lower <= matrix x + residuals of the terms <= upper.

    Attributes
    ----------
    objective : ObjectiveData or None
    sense : int
        1 to minimise, -1 to maximise; f is the objective times this.
    variables : ProgramVariables
    constraints : list of ConstraintData
        Constraints of the first rows; rows of grey boxes follow.
    lower, upper, gradient : float arrays (m,), (m,), (n,)
    constant : float
    pattern : casadi.Sparsity (m, n)
        Of the matrix.
    entries : float array
        Its nonzeros, column by column.
    terms : list of MappedKernel
        That of all expressions, if there is one, then those of the boxes.
    weights : float array
        Factor of every term's cost in the objective.
    boxes : list of PlacedBox
    trivial : TrivialRows or None
    """

    model: BlockData
    objective: ObjectiveData | None
    sense: int
    variables: ProgramVariables
    constraints: list[ConstraintData]
    lower: np.ndarray
    upper: np.ndarray
    gradient: np.ndarray
    constant: float
    pattern: ca.Sparsity
    entries: np.ndarray
    terms: Sequence[MappedKernel]
    weights: np.ndarray
    boxes: Sequence[PlacedBox]
    trivial: TrivialRows | None

    def parameters(self) -> np.ndarray:
        """Return the parameters of all terms' copies in turn."""
        return np.concatenate([np.zeros(0), *[box.model.parameters.ravel() for box in self.boxes]])

    def row_name(self, row: int) -> str:
        """Return the name of the constraint of a row."""
        if row < len(self.constraints):
            return self.constraints[row].name
        for box in self.boxes:
            places = np.flatnonzero(box.rows == row)
            if len(places):
                return box.model.equality_constraint_names()[places[0]]
        return "the value of a grey box"


def compile_nlp(model: BlockData) -> NonlinearProgram:
    """Compile a Pyomo model to a nonlinear program.

    Raises
    ------
    UnsupportedModelError
        Integer variables, several objectives, foreign grey boxes, unsupported components or functions.
    """
    # Rows of the constraints, and the objective, as coefficients and symbols
    components, rows = collect(model), Rows()
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

    return NonlinearProgram(
        model=model,
        objective=objective,
        sense=sense,
        variables=variables,
        constraints=rows.constraints,
        lower=np.array(rows.lower, dtype=float),
        upper=np.array(rows.upper, dtype=float),
        gradient=np.array([gradient.get(i, 0.0) for i in range(n)], dtype=float),
        constant=sense * affine.constant,
        pattern=pattern,
        entries=np.array(rows.coefficient, dtype=float)[order],
        terms=[*algebraic, *(box.term for box in boxes)],
        weights=np.array(factors, dtype=float),
        boxes=boxes,
        trivial=rows.trivial(),
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
    kernel = differentiate(symbols, ca.SX(0, 1), residual, ca.SX(0) if cost is None else cost, "algebraic")
    return MappedKernel(
        kernel=kernel,
        columns=variables.positions(walker.symbols)[None, :],
        rows=np.array(rows.residual_rows, dtype=np.int64)[None, :],
        in_objective=cost is not None,
    )
