"""Accelerations and Lagrange multipliers of constrained motion, with Baumgarte stabilisation.

    M a = f + J' lambda,    J a = -dJ/dt v - 2 s J v - s^2 c

The second line is c'' + 2 s c' + s^2 c = 0 for the closures c(q), which are zero at the start: the drift that rounding
and integration cause decays (Baumgarte 1972).

A joint beside the cut may move no mass in the tree, so that M is singular. But motions that keep the loops closed do
move mass; hence A = M + J'W J is positive definite. As J a is known, adding J'W J a on both sides leaves the solution
unchanged, and two factorisations without pivoting give it: of A, and of J A^-1 J'.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from flexblocks.dynamics import ldl

# Rate s [1/s] at which constraint violations decay. A four-bar that turns at 14 rad/s drifts by 2e-7 m in 10 s without,
# by 3e-9 with s = 5, by 5e-10 with s = 50; a larger s gains nothing and makes the equations of slow arms stiff.
STABILIZATION = 50.0
#: Factors [1/s, 1/s2] of dc/dt and of c with which violations decay critically damped
BAUMGARTE = (2 * STABILIZATION, STABILIZATION**2)


def constrained_accelerations(
    M: ca.SX, force: ca.SX, J: ca.SX, demanded: ca.SX, weights: Sequence[float]
) -> tuple[ca.SX, ca.SX]:
    """Return accelerations a (n) and Lagrange multipliers (m).

    Parameters
    ----------
    M : SX (n, n)
    force : SX (n, 1)
        Applied forces minus velocity forces, f.
    J : SX (m, n)
        Jacobian of the closures, of full rank.
    demanded : SX (m, 1)
        Value that J a must take.
    weights : sequence of float
        Diagonal (m) of W, all > 0.
    """
    A = augmented(M, J, weights)
    solved = ldl.solve(A, ca.horzcat(force + J.T @ (ca.DM(list(weights)) * demanded), J.T))
    free, moved = solved[:, 0], solved[:, 1:]
    multipliers = ldl.solve(ca.sparsify(ca.triu2symm(ca.triu(J @ moved))), demanded - J @ free)
    return ca.densify(free + moved @ multipliers), multipliers


def augmented(M: ca.SX, J: ca.SX, weights: Sequence[float]) -> ca.SX:
    """Return A = M + J'W J (n, n), with the weights (m) of the closures whose Jacobian is J (m, n)."""
    scaled = ca.diag(ca.DM(np.sqrt(weights))) @ J
    return ca.sparsify(M + scaled.T @ scaled)


def stabilized(
    residual: ca.SX, J: ca.SX, drift: ca.SX, v: ca.SX, factors: Sequence[float] | Sequence[ca.SX] = BAUMGARTE
) -> ca.SX:
    """Return the J a (m) with which violations c decay, c'' + k1 c' + k0 c = 0, by the `factors` k1, k0 [1/s, 1/s2]."""
    k1, k0 = factors
    return -drift - k1 * (J @ v) - k0 * residual
