"""Prescribed coordinates: the equations of motion of the others, and what drives the prescribed ones.

With the coordinates split into free ones f and prescribed ones p, whose accelerations are inputs u_p,

    [M_ff 0] [a_f]   [h_f]   [Q_f - M_fp u_p]
    [ 0   1] [a_p] + [ 0 ] = [     u_p      ]

is M a + h = Q again, symmetric and without a multiplier. The driving efforts are the rest of the rows p of inverse
dynamics: tau_p = M_pf a_f + M_pp u_p + h_p - Q_p.

Where loops are closed, their forces act on the free coordinates, Q_f + J_f' lambda, and on the drives, J_p' lambda.
What is demanded of J a = J_f a_f + J_p u_p is demanded of J_f a_f, less J_p u_p: constrained motion again, with J_f.
"""

from __future__ import annotations

import casadi as ca

from flexblocks.dynamics.algorithms.composite_bodies import mass_matrix
from flexblocks.dynamics.algorithms.generalized_forces import applied_force
from flexblocks.dynamics.algorithms.loop_closure import closure_residual, loop_force
from flexblocks.dynamics.algorithms.newton_euler import inverse_dynamics
from flexblocks.dynamics.tree.tree import Tree


def prescribed_accelerations(tree: Tree, x: ca.SX, z: ca.SX, u: ca.SX) -> dict[int, ca.SX]:
    """Return the accelerations of the prescribed coordinates by their position; `u` are the inputs of the DAE."""
    inputs = tree.block_inputs(x, z, u)
    return {prescription.column: inputs[prescription.input] for prescription in tree.prescribed}


def reduced_mass(tree: Tree, M: ca.SX) -> ca.SX:
    """Return the mass matrix (n, n) with a unit in place of the rows and columns of prescribed coordinates."""
    M = ca.SX(M)
    for column in tree.prescribed_columns:
        M[column, :], M[:, column] = 0, 0
        M[column, column] = 1
    return ca.sparsify(M)


def reduced_inverse_dynamics(tree: Tree, q: ca.SX, v: ca.SX, a: ca.SX) -> ca.SX:
    """Return M a + h (n) of the reduced equations."""
    a = ca.SX(a)
    prescribed = {column: ca.SX(a[column]) for column in tree.prescribed_columns}
    for column in prescribed:
        a[column] = 0
    force = inverse_dynamics(tree, q, v, ca.sparsify(a))
    for column, acceleration in prescribed.items():
        force[column] = acceleration
    return force


def free_rows(tree: Tree, force: ca.SX) -> ca.SX:
    """Return forces (n) with zeros in the rows of prescribed coordinates."""
    if not tree.prescribed:
        return force
    force = ca.SX(force)
    force[list(tree.prescribed_columns)] = 0
    return ca.sparsify(force)


def reduced_force(tree: Tree, force: ca.SX, M: ca.SX, prescribed: dict[int, ca.SX]) -> ca.SX:
    """Return the applied forces Q (n) of the reduced equations, from those of the arm and its whole mass matrix."""
    force = ca.SX(force)
    for column, acceleration in prescribed.items():
        force -= M[:, column] * acceleration
    for column, acceleration in prescribed.items():
        force[column] = acceleration
    return ca.sparsify(force)


def reduced_balance(tree: Tree, x: ca.SX, z: ca.SX, u: ca.SX, a: ca.SX) -> ca.SX:
    """Return the residuals M a + h - Q (n) of the reduced equations, without a search for common subexpressions."""
    q, v, _ = tree.split_state(x)
    prescribed = prescribed_accelerations(tree, x, z, u)
    applied = reduced_force(tree, applied_force(tree, x, z, u), mass_matrix(tree, q), prescribed)
    return reduced_inverse_dynamics(tree, q, v, a) - applied


def reduced_jacobian(tree: Tree, J: ca.SX) -> ca.SX:
    """Return J_f: the Jacobian (m, n) of the closures with zeros in the columns of prescribed coordinates."""
    if not tree.prescribed:
        return J
    J = ca.SX(J)
    J[:, list(tree.prescribed_columns)] = 0
    return ca.sparsify(J)


def reduced_closures(tree: Tree, J: ca.SX, demanded: ca.SX, prescribed: dict[int, ca.SX]) -> tuple[ca.SX, ca.SX]:
    """Return J_f, and the J_f a_f (m) that makes J a what is `demanded`."""
    moved = sum((J[:, column] * acceleration for column, acceleration in prescribed.items()), ca.SX(J.shape[0], 1))
    return reduced_jacobian(tree, J), demanded - moved


def reduced_loop_force(tree: Tree, residual: ca.SX, q: ca.SX, multipliers: ca.SX) -> ca.SX:
    """Return the forces J_f' lambda (n) of loops in the reduced equations, from the residual (m) of the closures."""
    return free_rows(tree, loop_force(residual, tree, q, multipliers))


def driving_efforts(
    tree: Tree, x: ca.SX, z: ca.SX, u: ca.SX, a: ca.SX, multipliers: ca.SX | None = None
) -> dict[int, ca.SX]:
    """Return by position the efforts [N m or N] that drive the prescribed coordinates.

    `a` (n) are accelerations, `multipliers` (m) the forces in loops.
    """
    q, v, _ = tree.split_state(x)
    force = inverse_dynamics(tree, q, v, a) - applied_force(tree, x, z, u)
    if multipliers is not None and tree.loops.closures:
        force -= loop_force(closure_residual(tree, q), tree, q, multipliers)
    return {column: force[column] for column in tree.prescribed_columns}
