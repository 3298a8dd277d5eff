"""Elimination basis: elastic coordinates in which a body couples to what it carries through as few as possible.

What a beam carries only feels its tip: a deflection and a slope in each plane, however many modes there are. In the
mass-orthonormal basis in which the first coordinate alone moves the tip, the second takes part in its slope, and so on,
all further ones move nothing but the beam itself, and eliminating them costs a few operations each.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from flexblocks.dynamics.evaluation.body import Body
from flexblocks.dynamics.tree.tree import Tree

# An entry below this fraction of the terms it is the sum of is rounding.
ROUNDING = 1e-12


def elimination_basis(tree: Tree) -> ca.DM:
    """Return B (n, n), sparse: the accelerations of the coordinates are a = B alpha, alpha the unknowns to eliminate.

    Bodies whose inertia or tip motion is not constant, or that share coordinates with others, keep their coordinates.
    """
    basis = np.eye(tree.size)
    moving = [body for body in tree.bodies if body.terms.has_inertia]
    users = np.sum([np.any(body.share.full(), axis=0) for body in moving], axis=0)
    for node_index, node in enumerate(tree.nodes):
        for body in (tree.bodies[i] for i in node.bodies):
            columns = [int(column) for column in np.flatnonzero(np.abs(body.share.full()).sum(axis=0))]
            if len(columns) < 2 or np.any(users[columns] > 1):
                continue
            mass, tips = _mass(body, columns), _tips(tree, node_index, columns)
            if mass is not None and tips is not None:
                basis[np.ix_(columns, columns)] = _tip_first(mass, tips)
    return ca.sparsify(ca.DM(basis))


def _mass(body: Body, columns: list[int]) -> np.ndarray | None:
    """Return the inertia matrix of a body over the arm's coordinates `columns`, if it is constant and regular."""
    inertia, share = body.terms.inertia_expression[6:, 6:], body.share.full()[:, columns]
    if not inertia.is_constant() or share.shape[0] < share.shape[1]:
        return None
    return share.T @ ca.DM(inertia).full() @ share


def _tips(tree: Tree, node: int, columns: list[int]) -> np.ndarray | None:
    """Return the Jacobian of the ends of all edges from a node (rows: deflections first), if it is constant."""
    rows = []
    for outer in tree.nodes:
        if outer.inboard == node and outer.edge is not None:
            S = (outer.edge.rates @ outer.edge.share)[:, columns]
            if not S.is_constant():
                return None
            S = ca.DM(S).full()
            rows += [*S[3:], *S[:3]]
    return np.array([row for row in rows if row.any()]).reshape(-1, len(columns))


def _tip_first(mass: np.ndarray, tips: np.ndarray) -> np.ndarray:
    """Return the basis B with B^T mass B = identity and tips B lower triangular."""
    whiten = np.linalg.inv(np.linalg.cholesky(mass)).T
    rotation = np.linalg.qr((tips @ whiten).T, mode="complete")[0] if len(tips) else np.eye(len(mass))
    return whiten @ rotation


def congruent(matrix: ca.SX, basis: ca.DM) -> ca.SX:
    """Return the congruence transform basis^T matrix basis, with rounding errors as structural zeros."""
    size = ca.fabs(basis).T @ _numbers(matrix) @ ca.fabs(basis)
    return _without_rounding(basis.T @ matrix @ basis, size)


def changed(rates: ca.SX, basis: ca.DM) -> ca.SX:
    """Return the product rates basis, with rounding errors as structural zeros."""
    return _without_rounding(rates @ basis, _numbers(rates) @ ca.fabs(basis))


def _numbers(matrix: ca.SX) -> ca.DM:
    """Return the magnitudes of the constant entries, and zero for the others."""
    entries = [matrix.nz[i] for i in range(matrix.nnz())]
    magnitudes = [abs(float(entry)) if entry.is_constant() else 0.0 for entry in entries]
    return ca.DM(matrix.sparsity(), magnitudes)


def _without_rounding(matrix: ca.SX, size: ca.DM) -> ca.SX:
    """Turn constant entries into structural zeros where terms, of summed magnitude `size`, cancel but for rounding.

    An entry is compared with its own terms, not with other entries: a small inertia beside a large mass is not
    rounding.
    """
    matrix = ca.sparsify(matrix)
    rows, columns = matrix.sparsity().get_triplet()
    for i, (row, column) in enumerate(zip(rows, columns, strict=True)):
        entry = matrix.nz[i]
        if entry.is_constant() and abs(float(entry)) <= ROUNDING * float(size[row, column]):
            matrix.nz[i] = 0
    return ca.sparsify(matrix)
