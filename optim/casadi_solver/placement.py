"""Place grey boxes in a nonlinear program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pyomo.core.base.var import VarData

from .components import BoxOnVariables
from .errors import TrivialConstraintError
from .greybox import CasadiGreyBox
from .rows import TRIVIAL_TOLERANCE, Rows
from .term import Term
from .variables import Variables


@dataclass(frozen=True)
class PlacedBox:
    """A grey box and its term of the program.

    Attributes
    ----------
    box : BoxOnVariables
    term : Term
    eliminated : bool
        Whether its output is no variable of the program: it is free and occurs only linearly in the objective, so the
        cost itself takes its place there. That spares a row that couples all variables.
    """

    box: BoxOnVariables
    term: Term
    eliminated: bool

    @property
    def model(self) -> CasadiGreyBox:
        return self.box.model

    @property
    def rows(self) -> np.ndarray:
        """Row of every residual of the box (K n_r,); -1 where it is no constraint."""
        return self.term.rows.ravel()


def is_eliminable(output: VarData, variables: Variables) -> bool:
    """Whether the cost can take the place of its output variable, `variables` being those used elsewhere."""
    return id(output) not in variables and not output.fixed and output.bounds == (None, None)


def place(box: BoxOnVariables, weight: float | None, variables: Variables, rows: Rows) -> PlacedBox:
    """Give a grey box its columns and append its rows.

    Parameters
    ----------
    box : BoxOnVariables
    weight : float or None
        Factor of the cost in the minimised objective if its output is eliminated; otherwise None, and a last row says
        cost - output = 0.
    variables : Variables
        All those of the program.
    rows : Rows

    Raises
    ------
    TrivialConstraintError
        A copy whose variables are all fixed has a residual that is not zero.
    """
    model = box.model
    columns = variables.positions(map(id, box.inputs))[model.index]
    free = _with_freedom(model, columns < len(variables.free))
    _check_trivial(box, ~free)
    places = np.full(free.shape, -1)
    places[free] = rows.append(np.zeros(free.sum()))
    output, cost_row = box.output, -1
    if output is not None and weight is None:
        cost_row = int(rows.append(np.array([output.value if output.fixed else 0.0], dtype=float))[0])
        if not output.fixed:
            rows.enter(cost_row, {id(output): -1.0})
    return PlacedBox(box, Term(model.kernel, columns, places, weight or 0.0, cost_row), eliminated=cost_row < 0)


def _with_freedom(model: CasadiGreyBox, free: np.ndarray) -> np.ndarray:
    """Return which residuals (K, n_r) depend on a free variable, `free` (K, n_w) saying which local variables are."""
    pattern = model.kernel.jacobian_pattern
    dependence = np.zeros((model.kernel.n_residual, model.kernel.n_w), dtype=int)
    dependence[pattern.row, pattern.col] = 1
    return (free.astype(int) @ dependence.T) > 0


def _check_trivial(box: BoxOnVariables, trivial: np.ndarray) -> None:
    if not trivial.any():
        return
    box.model.set_input_values(np.array([var.value if var.fixed else 0.0 for var in box.inputs], dtype=float))
    residual = np.where(trivial.ravel(), box.model.evaluate_equality_constraints(), 0.0)
    worst = int(np.argmax(np.abs(residual)))
    if not abs(residual[worst]) <= TRIVIAL_TOLERANCE:
        raise TrivialConstraintError(
            f"Grey box '{box.name}': '{box.model.equality_constraint_names()[worst]}' has no free variable and is "
            f"{residual[worst]:g}; must be 0. Unfix one of its variables."
        )
