"""Compile a Pyomo model into a nonlinear program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
import pyomo.environ as pyo
from pyomo.core.base.block import BlockData
from pyomo.core.base.constraint import ConstraintData
from pyomo.core.base.objective import ObjectiveData
from scipy.sparse import csc_matrix

from .components import collect
from .kernel import differentiate
from .placement import PlacedBox, is_eliminable, place
from .rows import Rows
from .term import Term
from .variables import Variables


@dataclass(frozen=True)
class NonlinearProgram:
    """min f = constant + gradient' x + costs of the terms; lower <= matrix x + residuals of the terms <= upper.

    The structure is that of the model at compile time: which variables are fixed, the values of Params, the bounds of
    constraints. Variable bounds, start values, values of fixed variables in grey boxes and grey-box parameters are
    read anew at every run.

    Attributes
    ----------
    objective : ObjectiveData or None
    sense : int
        1 to minimise, -1 to maximise; f is the objective times this.
    variables : Variables
    constraints : list of ConstraintData
        Those in the first rows; rows of grey boxes follow.
    lower, upper : float arrays (m,)
    gradient, constant, matrix, terms
        As above.
    boxes : list of PlacedBox
    """

    model: BlockData
    objective: ObjectiveData | None
    sense: int
    variables: Variables
    constraints: list[ConstraintData]
    lower: np.ndarray
    upper: np.ndarray
    gradient: np.ndarray
    constant: float
    matrix: csc_matrix
    terms: Sequence[Term]
    boxes: Sequence[PlacedBox]

    def parameters(self) -> np.ndarray:
        """Return the present values of p: fixed variables, then the constants of every grey box."""
        return np.concatenate([self.variables.fixed_values(), *(box.model.parameters.ravel() for box in self.boxes)])


def compile_nlp(model: BlockData) -> NonlinearProgram:
    """Walk a Pyomo model into a nonlinear program.

    Raises
    ------
    UnsupportedModelError
        Integer variables, several objectives, foreign grey boxes, components or functions that do not fit.
    TrivialConstraintError
        A constraint without free variables does not hold.
    """
    components = collect(model)
    rows = Rows()
    for constraint in components.constraints:
        rows.add(constraint)
    objective = components.objective
    sense = -1 if objective is not None and objective.sense == pyo.maximize else 1
    affine, cost = rows.symbolic(0.0 if objective is None else objective.expr)
    goal = {key: sense * coefficient for key, coefficient in affine.coefficients.items()}

    met, variables = rows.variables(), Variables()
    variables.add(met[key] for key in rows.key)
    variables.add(rows.walker.variables.values())
    for box in components.boxes:
        variables.add(box.inputs)
    outputs = [box.output for box in components.boxes if box.output is not None]
    weights = {id(var): goal.pop(id(var), 0.0) for var in outputs if is_eliminable(var, variables)}
    variables.add(met[key] for key in goal)
    variables.add(var for var in outputs if id(var) not in weights and not var.fixed)

    terms = [_algebraic_term(rows, sense, cost, variables)] if rows.residuals or cost is not None else []
    boxes = [place(box, weights.get(id(box.output)), variables, rows) for box in components.boxes]
    n, m = len(variables.free), len(rows.lower)
    gradient = np.zeros(n)
    gradient[variables.positions(goal)] = list(goal.values())
    return NonlinearProgram(
        model=model,
        objective=objective,
        sense=sense,
        variables=variables,
        constraints=rows.constraints,
        lower=np.array(rows.lower, dtype=float),
        upper=np.array(rows.upper, dtype=float),
        gradient=gradient,
        constant=sense * affine.constant,
        matrix=csc_matrix((rows.coefficient, (rows.row, variables.positions(rows.key))), shape=(m, n)),
        terms=[*terms, *(box.term for box in boxes)],
        boxes=boxes,
    )


def _algebraic_term(rows: Rows, sense: int, cost: ca.SX | None, variables: Variables) -> Term:
    """Return the nonlinear Pyomo expressions as one copy of one kernel."""
    walker = rows.walker
    symbols = ca.vertcat(*walker.symbols.values())
    kernel = differentiate(
        symbols, ca.SX(0, 1), ca.vertcat(ca.SX(0, 1), *rows.residuals), ca.SX(0) if cost is None else cost, "algebraic"
    )
    return Term(
        kernel=kernel,
        columns=variables.positions(walker.symbols)[None, :],
        rows=np.array(rows.residual_rows, dtype=np.int64)[None, :],
        cost_weight=0.0 if cost is None else float(sense),
    )
