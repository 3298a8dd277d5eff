"""Kinetic and potential energy of the arm."""

from __future__ import annotations

import casadi as ca

from flexblocks.dynamics.algorithms.element_forces import element_potentials
from flexblocks.dynamics.algorithms.kinematics import maps, poses, twists
from flexblocks.dynamics.evaluation.block_terms import call
from flexblocks.dynamics.tree.tree import Tree


def kinetic_energies(tree: Tree, q: ca.SX, v: ca.SX) -> dict[str, ca.SX]:
    """Return the kinetic energy [J] of every body with inertia, by block name."""
    twist = twists(tree, maps(tree, q), v)
    moving = [(body, ca.SX(6, 1)) for body in tree.loose]
    for node, V in zip(tree.nodes, twist, strict=True):
        moving += [(tree.bodies[i], V) for i in node.bodies if tree.bodies[i].terms.has_inertia]
    return {
        body.name: call(body.terms.kinetic, V, body.gather(q), body.gather(v), body.terms.p)[0] for body, V in moving
    }


def stored_energies(tree: Tree, q: ca.SX) -> dict[str, ca.SX]:
    """Return the elastic energy [J] of each block (springs, bent beams), without gravity, by block name."""
    energies = {body.name: call(body.terms.potential, body.gather(q), body.terms.p)[0] for body in tree.bodies}
    if tree.elements:
        energies |= element_potentials(tree, q)
    return {name: energy for name, energy in energies.items() if energy.nnz()}


def weight_energies(tree: Tree, q: ca.SX) -> dict[str, ca.SX]:
    """Return the gravitational potential energy [J] of each body, by block name; zero at the world's origin.

    Mass and first moment are read off the body's inertia matrix: T contains 1/2 m v'v + v'(omega x c m).
    """
    if not tree.gravity.nnz():
        return {}
    energies = {}
    for body, (R, r) in zip(tree.bodies, poses(tree, q), strict=True):
        if not body.terms.has_inertia:
            continue
        (inertia,) = call(body.terms.inertia, body.gather(q), body.terms.p)
        moment = ca.vertcat(-inertia[5, 1], inertia[5, 0], -inertia[4, 0])
        energies[body.name] = ca.sparsify(-ca.dot(tree.gravity, inertia[3, 3] * r + R @ moment))
    return {name: energy for name, energy in energies.items() if energy.nnz()}


def total(energies: dict[str, ca.SX]) -> ca.SX:
    """Return the sum of energies as a dense scalar."""
    return ca.densify(sum(energies.values(), ca.SX(1, 1)))
