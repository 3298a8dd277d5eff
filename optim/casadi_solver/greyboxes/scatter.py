"""Add local nonzeros up into one global sparse matrix."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np


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
    """Plan the sum of local nonzeros into a matrix of `shape`.

    Parameters
    ----------
    row, col : int arrays (n,)
        Target of every local nonzero; a negative one drops it, several on one place are added.
    shape : (int, int)
    weight : float or float array (n,)
        Factor of every local nonzero.
    """
    kept = (row >= 0) & (col >= 0)
    places, target = np.unique(col[kept] * shape[0] + row[kept], return_inverse=True)
    columns = np.concatenate([[0], np.cumsum(np.bincount(places // max(shape[0], 1), minlength=shape[1]))])
    sparsity = ca.Sparsity(*shape, columns.tolist(), (places % max(shape[0], 1)).tolist())
    starts = np.concatenate([[0], np.cumsum(kept)])
    factors = weight[kept].tolist() if isinstance(weight, np.ndarray) else float(weight)
    matrix = ca.DM(ca.Sparsity(len(places), len(row), starts.tolist(), target.ravel().tolist()), factors)
    return Scatter(sparsity, matrix)
