"""Generalised forces of inputs, first-order states and algebraic variables; state and algebraic equations."""

from __future__ import annotations

import casadi as ca

from flexblocks.dynamics.algorithms.element_forces import element_values, element_wrenches
from flexblocks.dynamics.algorithms.kinematics import NodeWrenches, maps, twists
from flexblocks.dynamics.evaluation.block_terms import call
from flexblocks.dynamics.evaluation.body import Body
from flexblocks.dynamics.evaluation.element import Element
from flexblocks.dynamics.tree.tree import Tree


def block_arguments(tree: Tree, body: Body, x: ca.SX, z: ca.SX, u: ca.SX) -> list[ca.SX]:
    """Return the arguments (q, s, w, z, u, p) of a block's functions; `u` are the inputs of all blocks."""
    q, v, w = tree.split_state(x)
    return [body.gather(q), body.gather(v), w[body.w], z[body.z], u[body.u], body.terms.p]


def applied_wrenches(tree: Tree, x: ca.SX, z: ca.SX, u: ca.SX) -> NodeWrenches:
    """Return the forces of inputs, states and algebraic variables where they act: on coordinates and nodes."""
    u, (q, v, _) = tree.block_inputs(x, z, u), tree.split_state(x)
    total = element_wrenches(tree, q, v, x, z, u) if tree.elements else NodeWrenches.none(tree)
    force, wrench = total.on_coordinates, list(total.on_nodes)
    for body in tree.bodies:
        (on_block,) = call(body.terms.applied, *block_arguments(tree, body, x, z, u))
        force += body.scatter(on_block)
    for index, node in enumerate(tree.nodes):
        for body in (tree.bodies[i] for i in node.bodies if tree.bodies[i].terms.has_wrench):
            wrench[index] += call(body.terms.wrench, *block_arguments(tree, body, x, z, u))[0]
    return NodeWrenches(ca.sparsify(force), tuple(wrench))


def applied_force(tree: Tree, x: ca.SX, z: ca.SX, u: ca.SX) -> ca.SX:
    """Return the generalised forces Q (n) of inputs, states and algebraic variables."""
    return ca.sparsify(applied_wrenches(tree, x, z, u).force(tree, x[: tree.size]))


def applied_power(tree: Tree, x: ca.SX, z: ca.SX, u: ca.SX) -> ca.SX:
    """Return the power [W] of these forces: on each node that of its wrench, which no sweep carries inward."""
    q, v, _ = tree.split_state(x)
    forces = applied_wrenches(tree, x, z, u)
    power = ca.dot(v, forces.on_coordinates)
    if any(wrench.nnz() for wrench in forces.on_nodes):
        motions = zip(forces.on_nodes, twists(tree, maps(tree, q), v), strict=True)
        power += sum((ca.dot(wrench, V) for wrench, V in motions), ca.SX(1, 1))
    return power


def state_rates(tree: Tree, x: ca.SX, z: ca.SX, u: ca.SX) -> ca.SX:
    """Return the time derivatives of all first-order states."""
    return _of_states(tree, "rates", x, z, u)


def rest_conditions(tree: Tree, x: ca.SX, z: ca.SX, u: ca.SX) -> ca.SX:
    """Return the rest conditions of the first-order states: residuals that are zero at rest."""
    return _of_states(tree, "rest", x, z, u)


def _of_states(tree: Tree, kind: str, x: ca.SX, z: ca.SX, u: ca.SX) -> ca.SX:
    """Return one of the state functions of all blocks, ``"rates"`` or ``"rest"``, then that of control laws."""
    inputs = tree.block_inputs(x, z, u)
    values = _of_group(tree, "w", kind, x, z, inputs)
    if tree.feedback is not None:
        values += call((kind == "rest" and tree.feedback.rest) or tree.feedback.rates, x, z, u, tree.p)
    return ca.densify(ca.vertcat(*values, ca.SX(0, 1)))


def residuals(tree: Tree, x: ca.SX, z: ca.SX, u: ca.SX) -> ca.SX:
    """Return the residuals of all algebraic equations."""
    u = tree.block_inputs(x, z, u)
    return ca.densify(ca.vertcat(*_of_group(tree, "z", "residuals", x, z, u), ca.SX(0, 1)))


def _of_group(tree: Tree, group: str, kind: str, x: ca.SX, z: ca.SX, u: ca.SX) -> list[ca.SX]:
    """Return the values of one function of all blocks that have variables of a group, in the variables' order."""
    having = [owner for owner in (*tree.bodies, *tree.elements) if getattr(owner, group) != slice(0, 0)]
    values: dict[str, ca.SX] = {}
    if any(isinstance(owner, Element) for owner in having):
        values = element_values(tree, kind, x, z, u)
    for owner in having:
        if isinstance(owner, Body):
            (values[owner.name],) = call(getattr(owner.terms, kind), *block_arguments(tree, owner, x, z, u))
    return [values[owner.name] for owner in sorted(having, key=lambda owner: getattr(owner, group).start)]
