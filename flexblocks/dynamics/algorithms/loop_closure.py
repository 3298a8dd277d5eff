"""Loop-closure constraints: relative pose of the two outlets at each cut, its residual and its derivatives."""

from __future__ import annotations

import casadi as ca

from flexblocks.dynamics.algorithms.kinematics import motions, outlet_motion
from flexblocks.dynamics.tree.cut_joints import Place
from flexblocks.dynamics.tree.dependent_variables import dependent_rates, dependent_slopes
from flexblocks.dynamics.tree.tree import Tree


def offsets(tree: Tree, q: ca.SX) -> list[tuple[ca.SX, ca.SX]]:
    """Return for each closure position (3) and orientation (3, 3) of the second outlet in the axes of the first."""
    if not tree.loops.closures:
        return []
    still = ca.SX(tree.size, 1)
    inlets = motions(tree, q, still)

    def pose(place: Place) -> tuple[ca.SX, ca.SX]:
        R, r, _ = outlet_motion(tree, inlets, *place, q, still)
        return R, r

    relative = []
    for closure in tree.loops.closures:
        (R, r), (R_second, r_second) = pose(closure.first), pose(closure.second)
        relative.append((ca.sparsify(R.T @ (r_second - r)), ca.sparsify(R.T @ R_second)))
    return relative


def closure_residual(tree: Tree, q: ca.SX) -> ca.SX:
    """Return the constraint residuals c(q) (m): position offsets [m], and sines of the relative rotation."""
    residuals = []
    for closure, (shift, turn) in zip(tree.loops.closures, offsets(tree, q), strict=True):
        skewed = turn - turn.T
        sine = ca.vertcat(skewed[2, 1], skewed[0, 2], skewed[1, 0]) / 2
        residuals.append(ca.vertcat(shift, sine)[list(closure.rows)])
    return ca.densify(ca.vertcat(*residuals, ca.SX(0, 1)))


def drift_of(J: ca.SX, tree: Tree, q: ca.SX, v: ca.SX) -> ca.SX:
    """Return dJ/dt v (m) of constraints with the Jacobian J (m, n): their second derivative is J a + dJ/dt v."""
    posture, rates = ca.vertcat(q, tree.dependent), ca.vertcat(v, dependent_rates(tree, q, v))
    return ca.densify(ca.jtimes(J @ v, posture, rates))


def loop_force(residual: ca.SX, tree: Tree, q: ca.SX, multipliers: ca.SX) -> ca.SX:
    """Return the generalised force J' lambda (n) of the loops, without their Jacobian."""
    force = ca.jtimes(residual, q, multipliers, True)
    if tree.dependent_names:
        force += dependent_slopes(tree, q).T @ ca.jtimes(residual, tree.dependent, multipliers, True)
    return force


def total_jacobian(expression: ca.SX, tree: Tree, q: ca.SX) -> ca.SX:
    """Return the derivatives (m, n) of an expression (m) of the posture in the coordinates.

    Dependent variables, such as the roots of modes that follow an extension, move with the coordinates.
    """
    J = ca.jacobian(expression, q)
    if tree.dependent_names:
        J += ca.jacobian(expression, tree.dependent) @ dependent_slopes(tree, q)
    return ca.sparsify(J)
