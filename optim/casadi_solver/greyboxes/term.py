"""Copies of a local function inside a nonlinear program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .kernel import Kernel


@dataclass(frozen=True)
class Term:
    """K copies of a Kernel with their places in the program.

    Attributes
    ----------
    kernel : Kernel
    columns : int array (K, n_w)
        Column of every local variable; columns from the number of free variables on are fixed variables.
    rows : int array (K, n_r)
        Row of every residual; negative where the residual is no constraint.
    in_objective : bool
        Whether the summed cost is part of the objective.
    cost_row : int
        Row to which the summed cost is added; negative for none.
    """

    kernel: Kernel
    columns: np.ndarray
    rows: np.ndarray
    in_objective: bool = False
    cost_row: int = -1

    @property
    def copies(self) -> int:
        return len(self.columns)

    @property
    def has_cost(self) -> bool:
        """Whether the cost counts anywhere."""
        return self.in_objective or self.cost_row >= 0

    def jacobian_places(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the global rows and columns of the mapped Jacobian nonzeros, copy by copy."""
        pattern = self.kernel.jacobian_pattern
        return self.rows[:, pattern.row].ravel(), self.columns[:, pattern.col].ravel()

    def gradient_places(self) -> np.ndarray:
        """Return the global columns of the mapped gradient nonzeros, copy by copy."""
        return self.columns[:, self.kernel.gradient_pattern.col].ravel()

    def hessian_places(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return global rows, columns (upper triangle) and weights of the mapped Hessian nonzeros, copy by copy."""
        pattern = self.kernel.hessian_pattern
        first, second = self.columns[:, pattern.row].ravel(), self.columns[:, pattern.col].ravel()
        # two local variables on one global variable: both halves of the local matrix land on the diagonal
        folded = (first == second) & np.tile(pattern.row != pattern.col, self.copies)
        return np.minimum(first, second), np.maximum(first, second), np.where(folded, 2.0, 1.0)
