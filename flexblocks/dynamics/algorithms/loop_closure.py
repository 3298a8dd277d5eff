"""Loop closure equations: how far the two outlets at each cut are apart, and how fast."""

from __future__ import annotations

import casadi as ca

from flexblocks.dynamics.algorithms.kinematics import motions, outlet_motion
from flexblocks.dynamics.tree.cut_joints import Place
from flexblocks.dynamics.tree.tree import Tree


def offsets(tree: Tree, q: ca.SX) -> list[tuple[ca.SX, ca.SX]]:
    """Return for each closure where (3) and how turned (3, 3) the second outlet is, in the axes of the first."""
    if not tree.loops.closures:
        return []
    still = ca.SX(tree.size, 1)
    inlets = motions(tree, q, still)

    def pose(place: Place) -> tuple[ca.SX, ca.SX]:
        R, r, _ = outlet_motion(tree, inlets, *place, q, still)
        return R, r

    found = []
    for closure in tree.loops.closures:
        (R, r), (R_second, r_second) = pose(closure.first), pose(closure.second)
        found.append((ca.sparsify(R.T @ (r_second - r)), ca.sparsify(R.T @ R_second)))
    return found


def closure_residual(tree: Tree, q: ca.SX) -> ca.SX:
    """Return the residuals (m) of all closures: offsets [m], and sines of the angle times axis of what is turned."""
    found = []
    for closure, (shift, turn) in zip(tree.loops.closures, offsets(tree, q), strict=True):
        skewed = turn - turn.T
        sine = ca.vertcat(skewed[2, 1], skewed[0, 2], skewed[1, 0]) / 2
        found.append(ca.vertcat(shift, sine)[list(closure.rows)])
    return ca.densify(ca.vertcat(*found, ca.SX(0, 1)))


def rates_of(residual: ca.SX, q: ca.SX, v: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return the Jacobian J (m, n) of residuals in q, and dJ/dt v (m): their second derivative is J a + dJ/dt v."""
    J = ca.sparsify(ca.jacobian(residual, q))
    return J, ca.densify(ca.jtimes(J @ v, q, v))
