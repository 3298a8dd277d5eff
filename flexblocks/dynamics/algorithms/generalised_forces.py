"""Generalised forces of inputs, first-order states and algebraic variables; state and algebraic equations."""

from __future__ import annotations

import casadi as ca

from flexblocks.dynamics.algorithms.kinematics import maps
from flexblocks.dynamics.evaluation.block_terms import call
from flexblocks.dynamics.tree.tree import Body, Tree


def block_arguments(tree: Tree, body: Body, x: ca.SX, z: ca.SX, u: ca.SX) -> list[ca.SX]:
    """Return the arguments (q, s, w, z, u, p) of a block's functions; `u` are the inputs of all blocks."""
    q, v, w = tree.split_state(x)
    return [body.gather(q), body.gather(v), w[body.w], z[body.z], u[body.u], body.terms.p]


def applied_force(tree: Tree, x: ca.SX, z: ca.SX, u: ca.SX) -> ca.SX:
    """Return the generalised forces Q (n) of inputs, states and algebraic variables."""
    force, u = ca.SX(tree.size, 1), tree.block_inputs(x, z, u)
    for body in tree.bodies:
        (on_block,) = call(body.terms.applied, *block_arguments(tree, body, x, z, u))
        force += body.scatter(on_block)
    return ca.sparsify(force + _from_wrenches(tree, x, z, u))


def _from_wrenches(tree: Tree, x: ca.SX, z: ca.SX, u: ca.SX) -> ca.SX:
    """Return the generalised forces (n) of external wrenches, by virtual work along the edges."""
    force = ca.SX(tree.size, 1)
    if not any(body.terms.has_wrench for body in tree.bodies):
        return force
    wrench = [ca.SX(6, 1) for _ in tree.nodes]
    for index, (node, (X, S)) in reversed(list(enumerate(zip(tree.nodes, maps(tree, x[: tree.size]), strict=True)))):
        for body in (tree.bodies[i] for i in node.bodies if tree.bodies[i].terms.has_wrench):
            wrench[index] += call(body.terms.wrench, *block_arguments(tree, body, x, z, u))[0]
        if node.inboard is not None:
            wrench[node.inboard] += ca.sparsify(X.T @ wrench[index])
            force += S.T @ wrench[index]
    return force


def state_rates(tree: Tree, x: ca.SX, z: ca.SX, u: ca.SX) -> ca.SX:
    """Return the time derivatives of all first-order states."""
    return _of_states(tree, "rates", x, z, u)


def rest_conditions(tree: Tree, x: ca.SX, z: ca.SX, u: ca.SX) -> ca.SX:
    """Return the rest conditions of the first-order states: residuals that are zero at rest."""
    return _of_states(tree, "rest", x, z, u)


def _of_states(tree: Tree, kind: str, x: ca.SX, z: ca.SX, u: ca.SX) -> ca.SX:
    """Return one of the state functions of all blocks, then the rates of the states of control laws."""
    inputs = tree.block_inputs(x, z, u)
    values = [call(getattr(b.terms, kind), *block_arguments(tree, b, x, z, inputs))[0] for b in _by_slice(tree, "w")]
    if tree.feedback is not None:
        values += call(tree.feedback.rates, x, z, u, tree.p)
    return ca.densify(ca.vertcat(*values, ca.SX(0, 1)))


def residuals(tree: Tree, x: ca.SX, z: ca.SX, u: ca.SX) -> ca.SX:
    """Return the residuals of all algebraic equations."""
    u = tree.block_inputs(x, z, u)
    parts = [call(b.terms.residuals, *block_arguments(tree, b, x, z, u))[0] for b in _by_slice(tree, "z")]
    return ca.densify(ca.vertcat(*parts, ca.SX(0, 1)))


def _by_slice(tree: Tree, group: str) -> list[Body]:
    """Return the bodies that have variables of a group, in the order of those variables."""
    places = {body.name: getattr(body, group) for body in tree.bodies}
    having = [body for body in tree.bodies if places[body.name].stop > places[body.name].start]
    return sorted(having, key=lambda body: places[body.name].start)
