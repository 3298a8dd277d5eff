"""Internal forces: section forces and what holds locked coordinates, by inverse dynamics with these released."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from flexblocks.dynamics.algorithms.generalised_forces import applied_force
from flexblocks.dynamics.algorithms.loop_closure import closure_residual
from flexblocks.dynamics.algorithms.newton_euler import inverse_dynamics
from flexblocks.dynamics.tree.tree import Tree


def internal_forces(
    tree: Tree, x: ca.SX, z: ca.SX, inputs: ca.SX, a: ca.SX, multipliers: ca.SX
) -> tuple[dict[str, ca.SX], ca.SX]:
    """Return by body the efforts [N m or N] on its held coordinates, and those on the locked ones (one per lock).

    `a` (n) are the accelerations of the arm, `inputs` those of the blocks, `multipliers` (m) the loop forces. The
    efforts are the generalised forces of inverse dynamics in the same tree with these coordinates released, at zero.
    """
    n, released = tree.size, _released(tree)
    none = ca.SX(released.size - n, 1)
    q, v, w = tree.split_state(x)
    # Inverse dynamics of the tree with its held coordinates released, at zero and at rest.
    q, v = ca.vertcat(q, none), ca.vertcat(v, none)
    force = inverse_dynamics(released, q, v, ca.vertcat(a, none))
    force -= applied_force(released, ca.vertcat(q, v, w), z, inputs)
    # Loop forces do work on the released coordinates too.
    if tree.loops.closures:
        let_go = ca.SX.sym("released", released.size - n)
        moving = ca.vertcat(x[:n], let_go)
        work = ca.jtimes(closure_residual(released, moving), moving, multipliers, True)
        force -= ca.substitute(work, let_go, ca.densify(none))
    efforts, column = {}, n
    for body in tree.bodies:
        if count := len(body.terms.held):
            efforts[body.name] = force[column : column + count]
            column += count
    return efforts, force[column:]


def _released(tree: Tree) -> Tree:
    """Return the tree with all held coordinates, then all locked ones, appended to the coordinates of the arm."""
    first_lock = tree.size + sum(len(body.terms.held) for body in tree.bodies)
    size = first_lock + len(tree.locks)
    bodies, column = [], tree.size
    for index, body in enumerate(tree.bodies):
        share = ca.DM(body.share.size1(), size)
        share[:, : tree.size] = body.share
        for row in body.terms.held:
            share[row, column] = 1
            column += 1
        for number, lock in enumerate(tree.locks):
            for row in range(share.size1()):
                if (index, row) in lock.factors:
                    share[row, first_lock + number] = lock.factors[index, row]
        bodies.append(replace(body, share=ca.sparsify(share)))
    return replace(tree, bodies=tuple(bodies), size=size, feedback=None)
