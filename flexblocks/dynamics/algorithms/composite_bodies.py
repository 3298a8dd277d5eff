"""Composite-rigid-body algorithm for the mass matrix: all that is outboard of a node acts as one rigid body there."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from flexblocks.dynamics.algorithms.elimination.gauss import mirrored
from flexblocks.dynamics.algorithms.kinematics import maps
from flexblocks.dynamics.algorithms.newton_euler import loose_inertia
from flexblocks.dynamics.evaluation.block_terms import BlockTerms, call
from flexblocks.dynamics.evaluation.rigid_inertia import RigidInertia
from flexblocks.dynamics.tree.tree import Tree


@dataclass(frozen=True)
class _CompositeBody:
    """Composite body outboard of a node: rigid masses, plus the inertia (6, 6) of what is not a rigid mass."""

    rigid: RigidInertia
    rest: ca.SX

    @staticmethod
    def nothing() -> _CompositeBody:
        return _CompositeBody(RigidInertia(ca.SX(1, 1), ca.SX(3, 1), ca.SX(3, 3)), ca.SX(6, 6))

    def with_body(self, terms: BlockTerms, q: ca.SX, inertia: ca.SX) -> _CompositeBody:
        if terms.rigid_inertia is None:
            return _CompositeBody(self.rigid, self.rest + inertia[:6, :6])
        return _CompositeBody(self.rigid + RigidInertia(*call(terms.rigid_inertia, q, terms.p)), self.rest)

    def __add__(self, other: _CompositeBody) -> _CompositeBody:
        return _CompositeBody(self.rigid + other.rigid, self.rest + other.rest)

    def moved(self, X: ca.SX) -> _CompositeBody:
        return _CompositeBody(self.rigid.moved(X), mirrored(X.T @ self.rest @ X))

    @property
    def matrix(self) -> ca.SX:
        return ca.sparsify(self.rigid.matrix + self.rest)


def mass_matrix(tree: Tree, q: ca.SX) -> ca.SX:
    """Return the mass matrix M(q) (n, n), with structural zeros where coordinates are not coupled."""
    n = tree.size
    M = loose_inertia(tree, q)
    composite = [_CompositeBody.nothing() for _ in tree.nodes]
    # Wrench (6, n) at each node due to unit accelerations of the coordinates outboard of it.
    wrench = [ca.SX(6, n) for _ in tree.nodes]
    edge_maps = maps(tree, q)
    for index, node in reversed(list(enumerate(tree.nodes))):
        # Bodies at the node.
        for body in (tree.bodies[i] for i in node.bodies if tree.bodies[i].terms.has_inertia):
            q_body = body.gather(q)
            (inertia,) = call(body.terms.inertia, q_body, body.terms.p)
            composite[index] = composite[index].with_body(body.terms, q_body, inertia)
            wrench[index] += inertia[:6, 6:] @ body.share.matrix
            M += body.scatter(inertia[6:, 6:]) @ body.share.matrix
        # Along the edge: its coordinates see the composite body, which then moves inboard.
        if node.inboard is not None:
            (X, S), W = edge_maps[index], ca.sparsify(wrench[index])
            momentum = ca.sparsify(composite[index].matrix @ S)
            coupling = S.T @ W
            M += S.T @ momentum + coupling + coupling.T
            composite[node.inboard] = composite[node.inboard] + composite[index].moved(X)
            wrench[node.inboard] += ca.sparsify(X.T @ (momentum + W))
    return mirrored(M)
