"""LDL^T factorisation of sparse symbolic matrices."""

from __future__ import annotations

import casadi as ca


def solve(M: ca.SX, b: ca.SX) -> ca.SX:
    """Return M^-1 b for a symmetric positive definite M (n, n) and b (n, k).

    Coordinates are eliminated in a fill-reducing order; for a tree of bodies the factor then couples only bodies on
    one branch. (A QR factorisation, CasADi's default for symbolic matrices, costs several times as much and loses
    digits.)
    """
    D, LT, order = ca.ldl(ca.sparsify(M), True)
    return ca.densify(ca.ldl_solve(ca.densify(b), D, LT, order))
