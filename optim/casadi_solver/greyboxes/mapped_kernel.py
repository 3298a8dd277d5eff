"""Mapped kernel: copies of a local function, and the assembly of their derivatives into global sparse matrices.

As in the finite element method: local matrices, and for each copy the numbers of its global variables and rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from .kernel import Kernel


@dataclass(frozen=True)
class MappedKernel:
    """K copies of a Kernel with their rows and columns in the program.

    Attributes
    ----------
    kernel : Kernel
    columns : int array (K, n_w)
        Column of every local variable; columns from the number of free variables on are fixed variables.
    rows : int array (K, n_r)
        Row of every residual; negative if the residual is not a constraint.
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
        """Whether the cost is used at all."""
        return self.in_objective or self.cost_row >= 0

    def jacobian_indices(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the global rows and columns of the mapped Jacobian nonzeros, copy by copy."""
        pattern = self.kernel.jacobian_pattern
        return self.rows[:, pattern.row].ravel(), self.columns[:, pattern.col].ravel()

    def gradient_indices(self) -> np.ndarray:
        """Return the global columns of the mapped gradient nonzeros, copy by copy."""
        return self.columns[:, self.kernel.gradient_pattern.col].ravel()

    def hessian_indices(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return global rows, columns (upper triangle) and weights of the mapped Hessian nonzeros, copy by copy."""
        pattern = self.kernel.hessian_pattern
        first, second = self.columns[:, pattern.row].ravel(), self.columns[:, pattern.col].ravel()
        # two local variables on one global variable: both halves of the local matrix land on the diagonal
        folded = (first == second) & np.tile(pattern.row != pattern.col, self.copies)
        return np.minimum(first, second), np.maximum(first, second), np.where(folded, 2.0, 1.0)


@dataclass(frozen=True)
class Scatter:
    """Global sparsity and the sparse 0/1/2 matrix that maps a column of local nonzeros to the global ones.

    Attributes
    ----------
    sparsity : casadi.Sparsity
    matrix : casadi.DM
        Shape (global nonzeros, local nonzeros).
    """

    sparsity: ca.Sparsity
    matrix: ca.DM

    def __call__(self, local: ca.MX) -> ca.MX:
        """Return the global matrix for a column of local nonzeros."""
        if not self.sparsity.nnz():
            return ca.MX(self.sparsity)
        return ca.MX(self.sparsity, ca.densify(ca.mtimes(self.matrix, local)))


def scatter(row: np.ndarray, col: np.ndarray, shape: tuple[int, int], weight: np.ndarray | float = 1.0) -> Scatter:
    """Return the Scatter that sums local nonzeros into a matrix of `shape`.

    Parameters
    ----------
    row, col : int arrays (n,)
        Target of every local nonzero; a negative one drops it, duplicates are summed.
    shape : (int, int)
    weight : float or float array (n,)
        Factor of every local nonzero.
    """
    kept = (row >= 0) & (col >= 0)
    positions, target = np.unique(col[kept] * shape[0] + row[kept], return_inverse=True)
    columns = np.concatenate([[0], np.cumsum(np.bincount(positions // max(shape[0], 1), minlength=shape[1]))])
    sparsity = ca.Sparsity(*shape, columns.tolist(), (positions % max(shape[0], 1)).tolist())
    starts = np.concatenate([[0], np.cumsum(kept)])
    factors = weight[kept].tolist() if isinstance(weight, np.ndarray) else float(weight)
    matrix = ca.DM(ca.Sparsity(len(positions), len(row), starts.tolist(), target.ravel().tolist()), factors)
    return Scatter(sparsity, matrix)
