"""Accelerations and constraint forces where loops are closed.

    M a = f + J' lambda,    J a = -dJ/dt v - 2 s J v - s^2 c

The second line is c'' + 2 s c' + s^2 c = 0 for the closures c(q): what rounding and integration leave of them dies out
(Baumgarte 1972), as they are zero at the start.

A joint beside the cut may move no mass in the tree, so that M has no inverse. But motions that keep the loops closed
do move mass; hence A = M + w J'J is positive definite. As J a is known, adding w J' J a on both sides changes nothing
about the solution, which two factorisations without pivoting give: of A, and of J A^-1 J'.
"""

from __future__ import annotations

import casadi as ca

from flexblocks.dynamics.algorithms import ldl

# Rate [1/s] at which errors of the closures die out. A four-bar that turns at 14 rad/s leaves its closures by 2e-7 m in
# 10 s without, by 3e-9 with 5, by 5e-10 with 50; more brings nothing, and stiffness for slow arms.
STABILISATION = 50.0


def constrained_accelerations(M: ca.SX, force: ca.SX, J: ca.SX, demanded: ca.SX, weight: float) -> tuple[ca.SX, ca.SX]:
    """Return accelerations a (n) and multipliers (m).

    Parameters
    ----------
    M : SX (n, n)
    force : SX (n, 1)
        Applied less velocity forces, f.
    J : SX (m, n)
        Jacobian of the closures, of full rank.
    demanded : SX (m, 1)
        J a.
    weight : float
        w > 0.
    """
    A = ca.sparsify(M + weight * (J.T @ J))
    solved = ldl.solve(A, ca.horzcat(force + weight * (J.T @ demanded), J.T))
    free, moved = solved[:, 0], solved[:, 1:]
    multipliers = ldl.solve(ca.sparsify(ca.triu2symm(ca.triu(J @ moved))), demanded - J @ free)
    return ca.densify(free + moved @ multipliers), multipliers


def stabilised(residual: ca.SX, J: ca.SX, drift: ca.SX, v: ca.SX) -> ca.SX:
    """Return J a (m) for which the closures' errors die out, critically damped."""
    return -drift - 2 * STABILISATION * (J @ v) - STABILISATION**2 * residual
