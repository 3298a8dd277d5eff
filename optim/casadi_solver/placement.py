"""Place grey boxes in a nonlinear program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pyomo.core.base.block import BlockData
from pyomo.core.base.var import VarData

from .errors import TrivialConstraintError
from .greybox import CasadiGreyBox
from .rows import TRIVIAL_TOLERANCE
from .term import Term
from .variables import Variables


@dataclass(frozen=True)
class BoxPlacement:
    """Where a grey box went.

    Attributes
    ----------
    model : CasadiGreyBox
    inputs : list of VarData
    output : VarData or None
        The variable that carries the summed cost, if the box has one.
    eliminated : bool
        Whether the output is no variable of the program: it is free and occurs only linearly in the objective, so the
        cost itself takes its place there. That spares a row that couples all variables.
    term : Term
    """

    model: CasadiGreyBox
    inputs: list[VarData]
    output: VarData | None
    eliminated: bool
    term: Term


def is_eliminable(output: VarData, variables: Variables) -> bool:
    """Whether the cost can take the place of its output variable, `variables` being those used elsewhere."""
    return id(output) not in variables and not output.fixed and output.bounds == (None, None)


def place(block: BlockData, model: CasadiGreyBox, weight: float | None, variables: Variables, first_row: int):
    """Give a grey box its columns and rows.

    Parameters
    ----------
    block, model
        The Pyomo block and its CasadiGreyBox.
    weight : float or None
        Factor of the cost in the minimised objective if its output is eliminated, otherwise None.
    variables : Variables
        All those of the program.
    first_row : int
        The box's rows start here; with an explicit cost the last one is cost - output = 0.

    Returns
    -------
    BoxPlacement

    Raises
    ------
    TrivialConstraintError
        A copy whose variables are all fixed has a residual that is not zero.
    """
    inputs = list(block.inputs.values())
    output = block.outputs["cost"] if model.has_cost else None
    columns = variables.positions(map(id, inputs))[model.index]
    rows = np.full((model.copies, model.kernel.n_residual), -1)
    free = _rows_with_freedom(model, columns < len(variables.free))
    _check_trivial(block, inputs, ~free)
    rows[free] = first_row + np.arange(free.sum())
    explicit = output is not None and weight is None
    cost_row = first_row + int(free.sum()) if explicit else -1
    return BoxPlacement(model, inputs, output, not explicit, Term(model.kernel, columns, rows, weight or 0.0, cost_row))


def _rows_with_freedom(model: CasadiGreyBox, free: np.ndarray) -> np.ndarray:
    """Return which residuals (K, n_r) depend on a free variable, `free` (K, n_w) saying which local variables are."""
    pattern = model.kernel.jacobian_pattern
    dependence = np.zeros((model.kernel.n_residual, model.kernel.n_w), dtype=int)
    dependence[pattern.row, pattern.col] = 1
    return (free.astype(int) @ dependence.T) > 0


def _check_trivial(block: BlockData, inputs: list[VarData], trivial: np.ndarray) -> None:
    if not trivial.any():
        return
    model: CasadiGreyBox = block.get_external_model()
    model.set_input_values([var.value if var.fixed else 0.0 for var in inputs])
    residual = np.where(trivial.ravel(), model.evaluate_equality_constraints(), 0.0)
    worst = int(np.argmax(np.abs(residual)))
    if not abs(residual[worst]) <= TRIVIAL_TOLERANCE:
        raise TrivialConstraintError(
            f"Grey box '{block.name}': '{model.equality_constraint_names()[worst]}' has no free variable and is "
            f"{residual[worst]:g}; must be 0. Unfix one of its variables."
        )
