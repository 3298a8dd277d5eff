"""Forward kinematics: poses, twists and accelerations, from the ground outward; and wrenches inward, its dual."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from flexblocks.dynamics.evaluation.block_terms import call
from flexblocks.dynamics.tree.tree import Tree

# Motion transforms X (6, 6) and Jacobians S (6, n) of the edge to every node but the ground.
Maps = Sequence[tuple[ca.SX, ca.SX]]
# Orientation (3, 3), origin (3) and twist (6) of a frame.
Motion = tuple[ca.SX, ca.SX, ca.SX]


@dataclass(frozen=True)
class NodeWrenches:
    """Forces where they act: on the coordinates (n), and on each node a wrench (6) in its axes, torque over force."""

    on_coordinates: ca.SX
    on_nodes: tuple[ca.SX, ...]

    def __add__(self, other: NodeWrenches) -> NodeWrenches:
        on_nodes = tuple(a + b for a, b in zip(self.on_nodes, other.on_nodes, strict=True))
        return NodeWrenches(self.on_coordinates + other.on_coordinates, on_nodes)

    @staticmethod
    def none(tree: Tree) -> NodeWrenches:
        """Return no forces."""
        return NodeWrenches(ca.SX(tree.size, 1), tuple(ca.SX(6, 1) for _ in tree.nodes))

    def force(self, tree: Tree, q: ca.SX) -> ca.SX:
        """Return the generalised forces (n), by virtual work along the edges."""
        if not any(wrench.nnz() for wrench in self.on_nodes):
            return self.on_coordinates
        force, wrench = self.on_coordinates, list(self.on_nodes)
        for index, (node, (X, S)) in reversed(list(enumerate(zip(tree.nodes, maps(tree, q), strict=True)))):
            if node.inboard is not None:
                wrench[node.inboard] += ca.sparsify(X.T @ wrench[index])
                force += S.T @ wrench[index]
        return force


def maps(tree: Tree, q: ca.SX) -> Maps:
    """Return motion transform X and Jacobian S of the edge to every node at `q`; those of the ground are empty."""
    return [node.edge.at(q) if node.edge else (ca.SX(6, 6), ca.SX(6, tree.size)) for node in tree.nodes]


def twists(tree: Tree, maps: Maps, v: ca.SX) -> list[ca.SX]:
    """Return the twist (6) of every node."""
    twist: list[ca.SX] = []
    for node, (X, S) in zip(tree.nodes, maps, strict=True):
        twist.append(ca.SX(6, 1) if node.inboard is None else ca.sparsify(X @ twist[node.inboard] + S @ v))
    return twist


def accelerations(tree: Tree, maps: Maps, twist: list[ca.SX], q: ca.SX, v: ca.SX, a: ca.SX) -> list[ca.SX]:
    """Return the spatial acceleration (6) of every node, with gravity as an acceleration of the ground."""
    acceleration: list[ca.SX] = []
    for node, (X, S) in zip(tree.nodes, maps, strict=True):
        if node.inboard is None or node.edge is None:
            acceleration.append(tree.ground_acceleration)
        else:
            bias = node.edge.bias_at(twist[node.inboard][:3], q, v)
            acceleration.append(ca.sparsify(X @ acceleration[node.inboard] + S @ a + bias))
    return acceleration


def motions(tree: Tree, q: ca.SX, v: ca.SX) -> list[Motion]:
    """Return orientation, origin and twist of every body's inlet in the world."""
    inlets: list[Motion] = []
    for body in tree.bodies:
        if body.parent is None or body.outlet is None:
            inlets.append((ca.SX.eye(3), ca.SX(3, 1), ca.SX(6, 1)))
        else:
            inlets.append(outlet_motion(tree, inlets, body.parent, body.outlet, q, v))
    return inlets


def outlet_motion(tree: Tree, inlets: Sequence[Motion], index: int, outlet: str, q: ca.SX, v: ca.SX) -> Motion:
    """Return the motion of one outlet of body `index` from the motions of the inlets."""
    body = tree.bodies[index]
    R, r, V = call(body.terms.motions[outlet], *inlets[index], body.gather(q), body.gather(v), body.terms.p)
    return R, r, V


def poses(tree: Tree, q: ca.SX) -> list[tuple[ca.SX, ca.SX]]:
    """Return orientation and origin of every body's inlet in the world."""
    return [(R, r) for R, r, _ in motions(tree, q, ca.SX(tree.size, 1))]
