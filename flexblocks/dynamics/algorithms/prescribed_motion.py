"""Prescribed coordinates: the equations of motion of the others, and what drives the prescribed ones.

With the coordinates split into free ones f and prescribed ones p, whose accelerations are inputs u_p,

    [M_ff 0] [a_f]   [h_f]   [Q_f - M_fp u_p]
    [ 0   1] [a_p] + [ 0 ] = [     u_p      ]

is M a + h = Q again, symmetric and without a multiplier. The driving efforts are the rest of the rows p of inverse
dynamics: tau_p = M_pf a_f + M_pp u_p + h_p - Q_p.
"""

from __future__ import annotations

import casadi as ca

from flexblocks.dynamics.algorithms.composite_bodies import mass_matrix
from flexblocks.dynamics.algorithms.generalised_forces import applied_force
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


def driving_efforts(tree: Tree, x: ca.SX, z: ca.SX, u: ca.SX, a: ca.SX) -> dict[int, ca.SX]:
    """Return by position the efforts [N m or N] that drive the prescribed coordinates; `a` (n) are accelerations."""
    q, v, _ = tree.split_state(x)
    force = inverse_dynamics(tree, q, v, a) - applied_force(tree, x, z, u)
    return {column: force[column] for column in tree.prescribed_columns}
