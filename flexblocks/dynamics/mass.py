"""The mass matrix by composite bodies: everything outboard of a node, seen as one rigid body there."""

from __future__ import annotations

import casadi as ca

from flexblocks.dynamics.gauss import mirrored
from flexblocks.dynamics.inverse import loose_inertia
from flexblocks.dynamics.motion import maps
from flexblocks.dynamics.skeleton import is_isotropic
from flexblocks.dynamics.terms import call
from flexblocks.dynamics.tree import Tree


def mass_matrix(tree: Tree, q: ca.SX) -> ca.SX:
    """Return M(q) (n, n), sparse where no motion couples two coordinates."""
    n = tree.size
    M = loose_inertia(tree, q)
    composite = [ca.SX(6, 6) for _ in tree.nodes]
    # Wrench (6, n) at a node by unit accelerations of the coordinates outboard of it.
    wrench = [ca.SX(6, n) for _ in tree.nodes]
    edge_maps = maps(tree, q)
    for index, node in reversed(list(enumerate(tree.nodes))):
        for body in (tree.bodies[i] for i in node.bodies if tree.bodies[i].terms.has_inertia):
            (inertia,) = call(body.terms.inertia, body.own(q), tree.p)
            composite[index] += inertia[:6, :6]
            wrench[index] += inertia[:6, 6:] @ body.share
            M += body.spread(inertia[6:, 6:]) @ body.share
        if node.inboard is not None:
            (X, S), C, W = edge_maps[index], ca.sparsify(composite[index]), ca.sparsify(wrench[index])
            momentum = ca.sparsify(C @ S)
            coupling = S.T @ W
            M += S.T @ momentum + coupling + coupling.T
            composite[node.inboard] += _moved(C, X)
            wrench[node.inboard] += ca.sparsify(X.T @ (momentum + W))
    return mirrored(M)


def _moved(C: ca.SX, X: ca.SX) -> ca.SX:
    """Return the inertia X^T C X; mass that is the same in all directions is the same in all axes."""
    moved, mass = mirrored(X.T @ C @ X), C[3:, 3:]
    if is_isotropic(mass):
        moved[3:, 3:] = mass
    return moved
