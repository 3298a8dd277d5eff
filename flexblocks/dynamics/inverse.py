"""Recursive inverse dynamics (Newton-Euler for flexible bodies): motion outward, forces inward."""

from __future__ import annotations

import casadi as ca

from flexblocks.dynamics.motion import accelerations, twists
from flexblocks.dynamics.terms import call
from flexblocks.dynamics.tree import Tree, maps


def inverse_dynamics(tree: Tree, q: ca.SX, v: ca.SX, a: ca.SX) -> ca.SX:
    """Return the generalised input force M(q) a + h(q, v) (n) [N m or N].

    h holds velocity forces, weight, springs, damping and all other loads that depend on coordinates alone.
    """
    motion = maps(tree, q)
    twist = twists(tree, motion, v)
    acceleration = accelerations(tree, motion, twist, q, v, a)
    wrench = [ca.SX(6, 1) for _ in tree.bodies]
    force = ca.SX(tree.size, 1)
    for index, body in tree.outboard_first():
        q_own, s_own, a_own = body.own(q), body.own(v), body.own(a)
        (own,) = call(body.terms.inner, q_own, s_own, tree.p)
        if body.terms.has_inertia:
            (inertia,) = call(body.terms.inertia, q_own, tree.p)
            inlet_bias, own_bias = call(body.terms.bias, twist[index], q_own, s_own, tree.p)
            inertial = inertia @ ca.vertcat(acceleration[index], a_own)
            wrench[index] += inertial[:6] + inlet_bias
            own += inertial[6:] + own_bias
        tree.scatter(body, own, force)
        X, S = motion.X[index], motion.S[index]
        if body.parent is not None and X is not None and S is not None:
            # Virtual work across the outlet: the same maps that carried the motion out carry the wrench in.
            wrench[body.parent] += X.T @ wrench[index]
            tree.scatter(tree.bodies[body.parent], S.T @ wrench[index], force)
    return ca.densify(force)
