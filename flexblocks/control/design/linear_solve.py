"""Solving a small linear system symbolically, as laws of a few joints need it."""

from __future__ import annotations

import casadi as ca


def solve(A: ca.SX, b: ca.SX) -> ca.SX:
    """Return A^-1 b for a small matrix A (k, k), by elimination that pivots on structure alone.

    Structural zeros stay zeros, so that a diagonal input map costs k divisions.
    """
    k = A.shape[0]
    M = ca.sparsify(ca.horzcat(A, b))
    rows = list(range(k))
    for column in range(k):
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
    found = ca.SX(k, b.shape[1])
    for column in reversed(range(k)):
        row = rows[column]
        rest = M[row, k:] - M[row, column + 1 : k] @ found[column + 1 :, :]
        found[column, :] = rest / M[row, column]
    return ca.densify(found)
