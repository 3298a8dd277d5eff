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


def solve_without_pivots(A: ca.SX, b: ca.SX) -> ca.SX:
    """Return A^-1 b by Gauss elimination down the diagonal, for A (k, k) near a symmetric positive definite matrix.

    Of the rows that are left, the one that fills in least comes next.
    """
    k = A.shape[0]
    rows = [_entries(A[i, :]) for i in range(k)]
    right = [_entries(b[i, :]) for i in range(k)]
    left, order = set(range(k)), []
    while left:
        pivot = min(left, key=lambda i: (_fill(i, rows, left), i))
        left.remove(pivot)
        order.append(pivot)
        inverse = 1 / rows[pivot][pivot]
        for i in left:
            if pivot not in rows[i]:
                continue
            factor = rows[i].pop(pivot) * inverse
            for entries, others in ((rows, rows[pivot]), (right, right[pivot])):
                for j, value in others.items():
                    if entries is right or j in left:
                        entries[i][j] = entries[i][j] - factor * value if j in entries[i] else -factor * value
    solution: dict[int, dict[int, ca.SX]] = {}
    for pivot in reversed(order):
        values = dict(right[pivot])
        for j, value in rows[pivot].items():
            for column, known in solution.get(j, {}).items():
                values[column] = values[column] - value * known if column in values else -value * known
        inverse = 1 / rows[pivot][pivot]
        solution[pivot] = {column: inverse * value for column, value in values.items()}
    result = ca.SX(k, b.shape[1])
    for i, values in solution.items():
        for column, value in values.items():
            result[i, column] = value
    return result


def _entries(row: ca.SX) -> dict[int, ca.SX]:
    return {column: row[0, column] for column in row.sparsity().get_col()}


def _fill(i: int, rows: list[dict[int, ca.SX]], left: set[int]) -> int:
    return sum(j in left for j in rows[i]) * sum(i in rows[j] for j in left)
