"""Symbolic solution of small linear systems, by Gauss elimination."""

from __future__ import annotations

import casadi as ca


def solve(A: ca.SX, b: ca.SX) -> ca.SX:
    """Return A^-1 b for a small matrix A (k, k), by Gauss elimination with pivots chosen by sparsity alone.

    Structural zeros stay zeros, so that a diagonal input matrix costs k divisions.

    Raises
    ------
    ZeroDivisionError
        A is structurally singular.
    """
    k = A.shape[0]
    M = ca.sparsify(ca.horzcat(A, b))
    rows = list(range(k))
    for column in range(k):
        # A constant pivot first, as it divides by no expression; then the sparsest row, which fills in least.
        pivot = min(
            (r for r in rows[column:] if M.has_nz(r, column)),
            key=lambda r: (not M[r, column].is_constant(), M[r, :].nnz()),
            default=None,
        )
        if pivot is None:
            raise ZeroDivisionError(column)
        rows.remove(pivot)
        rows.insert(column, pivot)
        for r in rows[column + 1 :]:
            if M.has_nz(r, column):
                factor = M[r, column] / M[pivot, column]
                M[r, :] = ca.sparsify(M[r, :] - factor * M[pivot, :])
                M[r, column] = 0
        M = ca.sparsify(M)
    # Back substitution.
    solution = ca.SX(k, b.shape[1])
    for column in reversed(range(k)):
        row = rows[column]
        rest = M[row, k:] - M[row, column + 1 : k] @ solution[column + 1 :, :]
        solution[column, :] = rest / M[row, column]
    return ca.densify(solution)
