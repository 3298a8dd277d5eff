"""Placement of grey boxes in a nonlinear program."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np
from pyomo.core.base.var import VarData

from ..greyboxes.greybox import CasadiGreyBox
from ..greyboxes.mapped_kernel import MappedKernel
from .components import BoxOnVariables
from .constants import numeric_value
from .errors import TrivialConstraintError
from .rows import Rows
from .trivial import TOLERANCE
from .variables import ProgramVariables


@dataclass(frozen=True)
class PlacedBox:
    """A grey box and its term of the program.

    Attributes
    ----------
    box : BoxOnVariables
    columns : int array
        Of its inputs; those of fixed variables follow the free ones.
    term : MappedKernel
    eliminated : bool
        Whether its output is eliminated: free and only linear in the objective, where the cost is substituted for it.
        That avoids a row that couples all variables.
    """

    box: BoxOnVariables
    columns: np.ndarray
    term: MappedKernel
    eliminated: bool

    @property
    def model(self) -> CasadiGreyBox:
        return self.box.model

    @property
    def rows(self) -> np.ndarray:
        """Row of every residual of the box (K n_r,); -1 if it is not a constraint."""
        return self.term.rows.ravel()

    def check(self) -> None:
        """Check the residuals that have no free variable.

        Raises
        ------
        TrivialConstraintError
            One is not zero.
        """
        trivial = self.rows < 0
        if not trivial.any():
            return
        model, inputs = copy(self.model), self.box.inputs  # the inputs that the user set last stay
        model.set_input_values(np.array([var.value if var.fixed else 0.0 for var in inputs], dtype=float))
        residual = np.where(trivial, model.evaluate_equality_constraints(), 0.0)
        worst = int(np.argmax(np.abs(residual)))
        if not abs(residual[worst]) <= TOLERANCE:
            raise TrivialConstraintError(
                f"Grey box '{self.box.name}': '{model.equality_constraint_names()[worst]}' has no free variable and is "
                f"{residual[worst]:g}; must be 0. Unfix one of its variables."
            )


def is_eliminable(output: VarData, variables: ProgramVariables) -> bool:
    """Whether the cost can be substituted for its output variable; `variables` are those used elsewhere."""
    return id(output) not in variables and not output.fixed and output.bounds == (None, None)


def place(box: BoxOnVariables, weight: float | None, variables: ProgramVariables, rows: Rows) -> PlacedBox:
    """Place a grey box: assign its columns and append its rows.

    Parameters
    ----------
    box : BoxOnVariables
    weight : float or None
        Factor of the cost in the minimised objective if its output is eliminated; otherwise None, and a last row
        imposes cost - output = 0.
    variables : ProgramVariables
        All those of the program.
    rows : Rows
    """
    model = box.model
    columns = variables.positions(map(id, box.inputs))
    local = columns[model.index]
    free = _with_freedom(model, local < len(variables.free))
    row_numbers = np.full(free.shape, -1)
    row_numbers[free] = rows.append([0.0] * int(free.sum()))
    output, cost_row = box.output, -1
    if output is not None and weight is None:
        cost_row = int(rows.append([numeric_value(output) if output.fixed else 0.0])[0])
        if not output.fixed:
            rows.enter(cost_row, {id(output): -1.0})
    return PlacedBox(
        box,
        columns,
        MappedKernel(model.kernel, local, row_numbers, bool(weight), cost_row),
        eliminated=cost_row < 0,
    )


def _with_freedom(model: CasadiGreyBox, free: np.ndarray) -> np.ndarray:
    """Return which residuals (K, n_r) depend on a free variable; `free` (K, n_w) marks the free local variables."""
    pattern = model.kernel.jacobian_pattern
    dependence = np.zeros((model.kernel.n_residual, model.kernel.n_w), dtype=int)
    dependence[pattern.row, pattern.col] = 1
    return (free.astype(int) @ dependence.T) > 0
