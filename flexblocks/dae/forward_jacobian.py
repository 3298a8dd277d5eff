"""Jacobians by forward differentiation, a column at a time.

An expression of the Jacobian takes a multiple of the operations of the function, which grows with its columns, and
finding what it has in common (CSE) takes longer still: 14 s for an arm of 72 states, for numbers that are needed once.
The derivative along one direction takes three times the operations of the function; it is derived once, and evaluated
for all columns.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca


def forward_jacobian(function: ca.Function, inputs: Sequence[int], output: int = 0) -> ca.Function:
    """Return the function of the same inputs -> Jacobians of an output (m, 1) in some of them, with structural zeros.

    Parameters
    ----------
    function : Function
        Of SX expressions.
    inputs : sequence of int
    output : int
    """
    symbols = [function.mx_in(i) for i in range(function.n_in())]
    sizes = [function.size1_in(i) for i in inputs]
    total, rows = sum(sizes), function.size1_out(output)
    if not total or not rows:
        return ca.Function("jacobian", symbols, [ca.MX(rows, size) for size in sizes])
    results = [ca.DM.zeros(*function.size_out(i)) for i in range(function.n_out())]
    seeds = [ca.DM.zeros(symbol.shape[0], total) for symbol in symbols]
    first = 0
    for i, size in zip(inputs, sizes, strict=True):
        seeds[i][:, first : first + size] = ca.DM.eye(size)
        first += size
    # The same point for all columns.
    fixed = list(range(len(symbols) + len(results)))
    columns = function.forward(1).map("columns", "serial", total, fixed, [])
    whole = columns.call([*symbols, *results, *seeds])[output]
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    parts = [whole[:, end - size : end] for end, size in zip(ends, sizes, strict=True)]
    patterns = [function.jac_sparsity(output, i) for i in inputs]
    jacobians = [ca.project(part, pattern) for part, pattern in zip(parts, patterns, strict=True)]
    return ca.Function("jacobian", symbols, jacobians)
