"""Elimination basis: elastic coordinates in which a body couples to what it carries through as few as possible.

What a beam carries only feels its tip: a deflection and a slope in each plane, however many modes there are. In the
mass-orthogonal basis in which the first coordinate alone moves the tip, the second takes part in its slope, and so on,
all further ones move nothing but the beam itself, and eliminating them costs a few operations each.

Only coordinates that belong together are mixed: what is joined by neither inertia nor the tip keeps exact zeros, and
with them its digits, however light a beam is beside what it carries. Where the tip has coordinates of its own, as in
finite elements, nothing is mixed.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping

import casadi as ca
import numpy as np

from flexblocks.dynamics.evaluation.body import Body
from flexblocks.dynamics.tree.edge import Edge
from flexblocks.dynamics.tree.tree import Tree
from flexblocks.libraries import scipy

# An entry below this fraction of the terms it is the sum of is rounding: sums of up to nine terms, each rounded twice.
ROUNDING = 1e-13
# An entry this near to one is one: three roundings.
ONE = 4 * 2.0**-52
# With more coordinates that belong together, mixing them costs more operations than it saves (five modes in the plane:
# 657 for 651, in both planes with extension: 12 000 for 7425).
MOST = 3
# A column moves its row of the tip if that is more than this share of what its largest entry does there.
MOVES = 1e-6
# Share of the largest motion of the tip that counts as felt: what is lost goes with the square of its inverse.
FELT = 0.03
# Condition number of their mass matrix, scaled to a unit diagonal, up to which mixing loses no digit that counts. Modes
# of a free tip have 1, those of a heavy tip body, which are orthogonal only together with it, about 10.
CONDITION = 100.0


def elimination_basis(tree: Tree) -> ca.DM:
    """Return B (n, n), sparse: the accelerations of the coordinates are a = B alpha, alpha the unknowns to eliminate.

    Bodies whose inertia or tip motion is not constant, that share coordinates with others, or of which one is
    prescribed, keep their coordinates.
    """
    basis = np.eye(tree.size)
    moving = [body for body in tree.bodies if body.terms.has_inertia]
    users = Counter(column for body in moving for column in body.share.used)
    prescribed = set(tree.prescribed_columns)
    moved_by: dict[int, list[Edge]] = defaultdict(list)
    for edge in (node.edge for node in tree.nodes if node.edge is not None):
        for column in edge.share.used:
            moved_by[column].append(edge)
    for node_index, node in enumerate(tree.nodes):
        for body in (tree.bodies[i] for i in node.bodies):
            columns = sorted(body.share.used)
            if len(columns) < 2 or any(users[column] > 1 or column in prescribed for column in columns):
                continue
            mass = _mass(body, columns)
            tips = None if mass is None else _tips(tree, node_index, columns, np.sqrt(np.diag(mass)))
            if mass is None or tips is None:
                continue
            for group in _groups(mass, tips):
                rows = [row for row in tips[:, group] if row.any()]
                size = np.sqrt(np.diag(mass))[group]
                moved = _every_end(moved_by, columns)[:, group]
                if 1 < len(group) <= MOST and rows and _is_felt_by_several(moved / size):
                    chosen = np.array(columns)[group]
                    basis[np.ix_(chosen, chosen)] = _tip_first(mass[np.ix_(group, group)], np.array(rows))
    return ca.sparsify(ca.DM(np.where(np.abs(np.abs(basis) - 1) <= ONE, np.sign(basis), basis)))


def _mass(body: Body, columns: list[int]) -> np.ndarray | None:
    """Return the inertia matrix of a body over the arm's coordinates `columns`, if constant and each moves mass."""
    inertia, share = body.terms.inertia_expression[6:, 6:], body.share.within(columns)
    if not inertia.is_constant() or share.shape[0] < share.shape[1]:
        return None
    mass = share.T @ ca.DM(inertia).full() @ share
    return mass if np.all(np.diag(mass) > 0) else None


def _tips(tree: Tree, node: int, columns: list[int], size: np.ndarray) -> np.ndarray | None:
    """Return the Jacobian of the ends of all edges from a node (rows: deflections first), if it is constant.

    Without ends that hardly move beside others, as a station next to the root: a basis that begins with their motion
    would be one of rounding. `size` (k,) are the roots of the coordinates' own inertias.
    """
    ends = []
    for outer in tree.nodes:
        if outer.inboard == node and outer.edge is not None:
            S = outer.edge.transform.rates @ ca.sparsify(ca.DM(outer.edge.share.within(columns)))
            if not S.is_constant():
                return None
            S = ca.DM(S).full()
            ends.append((S[3:], S[:3]))
    most = [max((np.abs(kind / size).max() for kind in kinds), default=0.0) for kinds in zip(*ends, strict=True)]
    moved = [
        row for end in ends for rows, far in zip(end, most, strict=True) for row in _larger(rows, MOVES * far * size)
    ]
    return np.array(moved).reshape(-1, len(columns))


def _every_end(moved_by: Mapping[int, list[Edge]], columns: list[int]) -> np.ndarray:
    """Return the rows of motion by `columns` of the ends of all edges that they move, as far as they are constant."""
    edges = {id(edge): edge for column in columns for edge in moved_by[column]}.values()
    rates = [edge.transform.rates @ ca.sparsify(ca.DM(edge.share.within(columns))) for edge in edges]
    return np.vstack([np.empty((0, len(columns))), *(ca.DM(S).full() for S in rates if S.is_constant())])


def _larger(rows: np.ndarray, least: np.ndarray) -> list[np.ndarray]:
    """Return the rows of which an entry is larger than that of `least` (k,)."""
    return [row for row in rows if np.any(np.abs(row) > least)]


def _groups(mass: np.ndarray, tips: np.ndarray) -> list[np.ndarray]:
    """Return the groups of coordinates that are joined by inertia or move the same ends of edges."""
    size = np.sqrt(np.diag(mass))
    joined = (np.abs(mass) > ROUNDING * np.outer(size, size)) | ((tips != 0).T @ (tips != 0))
    count, labels = scipy.sparse.csgraph.connected_components(joined, directed=False)
    return [np.flatnonzero(labels == label) for label in range(count)]


def _is_felt_by_several(tips: np.ndarray) -> bool:
    """Whether each row of the tip's motion (rows, k) has several coordinates that take part in it.

    A load that one coordinate alone feels is not spread over several, which would then hardly differ. Modes that are
    made for a heavy load are such that the first alone turns or shifts it.
    """
    tips = np.abs(tips[tips.any(axis=1)])
    shares = tips / tips.max(axis=1, keepdims=True)
    return bool(np.sort(shares, axis=1)[:, -2].min(initial=1.0) > FELT)


def _tip_first(mass: np.ndarray, tips: np.ndarray) -> np.ndarray:
    """Return the basis B with B^T mass B diagonal and tips B lower triangular; the identity where that loses digits.

    Each column moves its row of the tip by one, so that the products with it cost nothing; those that do not move the
    tip have one as their largest entry. `mass` (k, k), `tips` (rows, k).
    """
    size = np.sqrt(np.diag(mass))
    scaled = mass / np.outer(size, size)
    if not np.linalg.cond(scaled) <= CONDITION:
        return np.eye(len(mass))
    whiten = np.linalg.inv(np.linalg.cholesky(scaled)).T / size[:, None]
    basis = whiten @ np.linalg.qr((tips @ whiten).T, mode="complete")[0]
    moved = tips @ basis
    for k in range(len(basis)):
        leading = moved[k, k] if k < len(tips) else 0.0
        steers = abs(leading) > MOVES * np.abs(tips[min(k, len(tips) - 1)] * basis[:, k]).max()
        basis[:, k] /= leading if steers else basis[np.argmax(np.abs(basis[:, k])), k]
    # Once more without what earlier columns move, which was rounding of larger numbers.
    for k in range(1, len(basis)):
        for j in range(min(k, len(tips))):
            basis[:, k] -= basis[:, j] * (tips[j] @ basis[:, k]) / (tips[j] @ basis[:, j])
    return basis


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

    Ones become ones again, by which multiplying costs nothing.

    An entry is compared with its own terms, not with other entries: a small inertia beside a large mass is not
    rounding.
    """
    matrix = ca.sparsify(matrix)
    rows, columns = matrix.sparsity().get_triplet()
    for i, (row, column) in enumerate(zip(rows, columns, strict=True)):
        entry = matrix.nz[i]
        if not entry.is_constant():
            continue
        if abs(float(entry)) <= ROUNDING * float(size[row, column]):
            matrix.nz[i] = 0
        elif abs(abs(float(entry)) - 1) <= ONE:
            matrix.nz[i] = math.copysign(1.0, float(entry))
    return ca.sparsify(matrix)
