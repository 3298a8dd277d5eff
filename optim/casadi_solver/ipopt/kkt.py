"""KKT system: the linear system of Newton's method on the optimality conditions of a program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
from scipy.linalg import lu_factor, lu_solve
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import splu

#: Columns with more entries than this, times the root of their number, go to the border, as dense in COLAMD.
DENSE = 10.0
#: Threshold of partial pivoting: sparsity first, the same as for MUMPS here.
PIVOTING = 1e-2
#: Maximum multiplications of a factorisation, estimated from the bandwidth: a second or two.
MOST_WORK = 5e9


class KktSystem:
    """The KKT matrix [[H, J'], [J, 0]] of a program, reduced to the active rows and free variables.

    Parameters
    ----------
    hessian : casadi.Sparsity (n, n)
        Upper triangle of H.
    jacobian : casadi.Sparsity (m, n)
    """

    def __init__(self, hessian: ca.Sparsity, jacobian: ca.Sparsity):
        first, second = (np.array(part, dtype=np.int64) for part in hessian.get_triplet())
        row, col = (np.array(part, dtype=np.int64) for part in jacobian.get_triplet())
        row += jacobian.size2()
        self._mirrored = first != second
        self._row = np.concatenate([first, second[self._mirrored], row, col])
        self._col = np.concatenate([second, first[self._mirrored], col, row])

    def factored(
        self, hessian: np.ndarray, jacobian: np.ndarray, in_play: np.ndarray
    ) -> Callable[[np.ndarray], np.ndarray]:
        """Factor the matrix; return the solver for right-hand sides (n + m,), with zeros for inactive entries.

        Parameters
        ----------
        hessian, jacobian : float arrays
            Nonzeros, column by column.
        in_play : bool array (n + m,)
            Which variables and rows are part of the reduced system.

        Raises
        ------
        RuntimeError
            The matrix is singular, or its band is so wide that factoring it may take longer than solving the program.
        """
        kept, place = in_play[self._row] & in_play[self._col], np.cumsum(in_play) - 1
        values = np.concatenate([hessian, hessian[self._mirrored], jacobian, jacobian])[kept]
        size = int(in_play.sum())
        matrix = coo_matrix((values, (place[self._row[kept]], place[self._col[kept]])), shape=(size, size)).tocsc()
        solve_inner, unknowns = _bordered(matrix), np.flatnonzero(in_play)

        def solve(right: np.ndarray) -> np.ndarray:
            solution = np.zeros_like(right)
            solution[unknowns] = solve_inner(right[unknowns])
            return solution

        return solve


def _bordered(matrix: Any) -> Callable[[np.ndarray], np.ndarray]:
    """Factor a symmetric bordered band matrix; return its solver.

    Collocation gives a band. The border, a free duration or design parameters, couples to everything and is eliminated
    by its Schur complement: as pivots its rows would fill the whole matrix.
    """
    dense = np.diff(matrix.indptr) > DENSE * np.sqrt(matrix.shape[0])
    inner, border = np.flatnonzero(~dense), np.flatnonzero(dense)
    band = matrix[inner][:, inner]
    order: Any = reverse_cuthill_mckee(band, symmetric_mode=True)
    inner, band = inner[order], band[order][:, order]
    if _work(band) > MOST_WORK:
        raise RuntimeError("The band is too wide.")
    factors = splu(band, permc_spec="NATURAL", diag_pivot_thresh=PIVOTING)
    sides = matrix[inner][:, border].toarray()
    through = factors.solve(sides)
    complement = lu_factor(matrix[border][:, border].toarray() - sides.T @ through)

    def solve(right: np.ndarray) -> np.ndarray:
        solution = np.empty_like(right)
        solution[border] = lu_solve(complement, right[border] - through.T @ right[inner])
        solution[inner] = factors.solve(right[inner]) - through @ solution[border]
        return solution

    return solve


def _work(band: Any) -> float:
    """Estimate the multiplications of factoring a symmetric band matrix in its order."""
    starts = band.indptr[:-1]
    if not np.all(np.diff(band.indptr)):
        raise RuntimeError("The matrix is singular.")
    reached = np.maximum.accumulate(np.maximum.reduceat(band.indices, starts)) if len(starts) else starts
    width = (reached - np.arange(len(starts))).astype(float)
    return float(width @ width)
