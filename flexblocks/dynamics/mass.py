"""The mass matrix by composite bodies: everything outboard of an outlet, seen as one rigid body at that outlet."""

from __future__ import annotations

import casadi as ca

from flexblocks.dynamics.terms import call
from flexblocks.dynamics.tree import Body, Maps, Tree, maps


def mass_matrix(tree: Tree, q: ca.SX) -> ca.SX:
    """Return M(q) (n, n), sparse where no motion couples two coordinates."""
    motion = maps(tree, q)
    composite = [call(body.terms.inertia, body.own(q), tree.p)[0] for body in tree.bodies]
    M = ca.SX(tree.size, tree.size)
    for index, body in tree.outboard_first():
        _add(M, body, composite[index][6:, 6:], body)
        _couple_inboard(tree, motion, index, composite[index][:6, 6:], body, M)
        X, S = motion.X[index], motion.S[index]
        if body.parent is not None and X is not None and S is not None:
            outward = ca.horzcat(X, S)
            rigid = ca.sparsify(composite[index][:6, :6])
            composite[body.parent] = ca.sparsify(composite[body.parent] + outward.T @ rigid @ outward)
    return ca.sparsify(M)


def _couple_inboard(tree: Tree, motion: Maps, index: int, wrench: ca.SX, body: Body, M: ca.SX) -> None:
    """Carry the wrench (6, n) that the body's own accelerations need down to the ground, and note what it works on."""
    while (parent := tree.bodies[index].parent) is not None and wrench.nnz():
        X, S = motion.X[index], motion.S[index]
        assert X is not None and S is not None
        _add(M, tree.bodies[parent], ca.sparsify(S.T @ wrench), body)
        wrench, index = ca.sparsify(X.T @ wrench), parent


def _add(M: ca.SX, rows: Body, block: ca.SX, columns: Body) -> None:
    """Add inertia between the own coordinates of two bodies to M, and its mirror image."""
    for i, (row, row_factor) in enumerate(zip(rows.index, rows.factor, strict=True)):
        for j, (column, column_factor) in enumerate(zip(columns.index, columns.factor, strict=True)):
            entry = block[i, j]
            if row < 0 or column < 0 or entry.nnz() == 0:
                continue
            M[row, column] += row_factor * column_factor * entry
            if rows is not columns:
                M[column, row] += row_factor * column_factor * entry
