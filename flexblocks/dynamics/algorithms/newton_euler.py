"""Recursive Newton-Euler algorithm: inverse dynamics of flexible bodies, motion outward and forces inward."""

from __future__ import annotations

import casadi as ca

from flexblocks.dynamics.algorithms.element_forces import element_wrenches
from flexblocks.dynamics.algorithms.kinematics import NodeWrenches, accelerations, maps, twists
from flexblocks.dynamics.evaluation.block_terms import call
from flexblocks.dynamics.tree.tree import Tree


def inverse_dynamics(tree: Tree, q: ca.SX, v: ca.SX, a: ca.SX, others: NodeWrenches | None = None) -> ca.SX:
    """Return the generalised input force M(q) a + h(q, v) (n) [N m or N], less that of `others` that act.

    h holds velocity forces, weight, springs, damping and all other loads that depend on q and v alone.
    """
    # Outward: twists and accelerations of all nodes.
    edge_maps = maps(tree, q)
    twist = twists(tree, edge_maps, v)
    acceleration = accelerations(tree, edge_maps, twist, q, v, a)
    # Inward: inertial forces of the bodies, projected on the coordinates.
    wrench = [ca.SX(6, 1) for _ in tree.nodes]
    passive = element_wrenches(tree, q, v) if tree.elements else NodeWrenches.none(tree)
    passive = passive if others is None else passive + others
    force = block_force(tree, q, v) - passive.on_coordinates + loose_inertia(tree, q) @ a
    for index, node in reversed(list(enumerate(tree.nodes))):
        wrench[index] -= passive.on_nodes[index]
        for body in (tree.bodies[i] for i in node.bodies if tree.bodies[i].terms.has_inertia):
            q_body, s_body = body.gather(q), body.gather(v)
            (inertia,) = call(body.terms.inertia, q_body, body.terms.p)
            inertial = inertia @ ca.vertcat(acceleration[index], body.gather(a))
            if twist[index].nnz() or s_body.nnz():  # velocity forces need not be derived at rest
                inertial += ca.vertcat(*body.terms.velocity_forces(twist[index][:3], q_body, s_body))
            wrench[index] += inertial[:6]
            force += body.scatter(inertial[6:])
        if node.inboard is not None:
            # Virtual work along the edge: the transposes of the maps that carried the motion outward.
            X, S = edge_maps[index]
            wrench[node.inboard] += X.T @ wrench[index]
            force += S.T @ wrench[index]
    return ca.densify(force)


def inner_force(tree: Tree, q: ca.SX, v: ca.SX) -> ca.SX:
    """Return the generalised forces (n) of springs, dampers and all other loads that depend on q and v alone."""
    force = block_force(tree, q, v)
    return force - element_wrenches(tree, q, v).force(tree, q) if tree.elements else force


def block_force(tree: Tree, q: ca.SX, v: ca.SX) -> ca.SX:
    """Return the inner forces (n) without those of force elements."""
    force = ca.SX(tree.size, 1)
    for body in tree.bodies:
        force += body.scatter(call(body.terms.inner, body.gather(q), body.gather(v), body.terms.p)[0])
    return force


def loose_inertia(tree: Tree, q: ca.SX) -> ca.SX:
    """Return the inertia (n, n) of bodies outside the tree of frames, such as rotors on an open mount."""
    inertia = ca.SX(tree.size, tree.size)
    for body in tree.loose:
        (of_block,) = call(body.terms.inertia, body.gather(q), body.terms.p)
        inertia += body.scatter(of_block[6:, 6:]) @ body.share.matrix
    return ca.sparsify(inertia)
