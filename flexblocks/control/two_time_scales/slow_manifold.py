"""Slow manifold: the quasi-static deformation of the stiff blocks under the slow motion."""

from __future__ import annotations

from functools import lru_cache

import casadi as ca

from flexblocks.control.design.arm_model import input_map
from flexblocks.control.design.linear_solve import solve
from flexblocks.control.two_time_scales.rigid_motion import RigidMotion
from flexblocks.dae.dae import DAE
from flexblocks.dynamics import ldl
from flexblocks.dynamics.algorithms.energy import stored_energies
from flexblocks.dynamics.algorithms.newton_euler import inverse_dynamics
from flexblocks.errors import ParameterError, listing


@lru_cache(maxsize=16)
def slow_manifold(dae: DAE, motion: RigidMotion, slow: DAE) -> ca.Function:
    """Return the slow manifold as a function ([theta, theta', theta''] (3 n_s,), p) -> theta, xi.

    Raises
    ------
    ParameterError
        The slow motion does not determine the inputs, or the inputs do not determine it.

    Notes
    -----
    Subudhi & Morris 2002, eqs 64 and 65: xi = (P'K P)^-1 P' (B u - M N theta'' - h) at q = N theta, with the u that
    this motion of the slow subsystem takes. Exact to first order in 1/stiffness.
    """
    k, n = slow.tree.size, dae.tree.size
    s = ca.SX.sym("s", 3 * k)
    theta, v, a = s[:k], s[k : 2 * k], s[2 * k :]
    N, P = ca.sparsify(ca.DM(motion.N)), ca.sparsify(ca.DM(motion.P))
    x = ca.vertcat(N @ theta, N @ v, ca.DM(dae.x.start[2 * n :]))
    B, other = input_map(dae, dae.u.names, "quasi_static")
    B, other = (_at(dae, part, x) for part in (B, other))
    # Inverse dynamics of the slow subsystem: the inputs that this motion takes.
    force = inverse_dynamics(dae.tree, N @ theta, N @ v, N @ a) - other
    driven = ca.sparsify(N.T @ B)
    if driven.shape[0] != driven.shape[1]:
        raise ParameterError(
            f"quasi_static: {listing(dae.u.names)} are {len(dae.u)} inputs for the slow coordinates "
            f"{listing(slow.q_names)}; must be as many of each."
        )
    try:
        u = solve(driven, N.T @ force)
    except ZeroDivisionError:
        raise ParameterError(
            f"quasi_static: the inputs {listing(dae.u.names)} do not act on the slow coordinates "
            f"{listing(slow.q_names)} independently of each other; must do so. Name other coordinates as slow=[...]."
        ) from None
    # The deformation at which the stiff blocks balance the remaining forces.
    energies = stored_energies(dae.tree, dae.q)
    K = ca.hessian(sum((energies[name] for name in motion.stiff), ca.SX(0)), dae.q)[0]
    stiffness = ca.sparsify(P.T @ _at(dae, K, x) @ P)
    xi = ldl.solve(stiffness, P.T @ (B @ u - force))
    return ca.Function("manifold", [s, dae.p.symbol], [theta, ca.densify(xi)])


def _at(dae: DAE, expression: ca.SX, x: ca.SX) -> ca.SX:
    """Return an expression at the states x, algebraic variables at their start values."""
    return ca.substitute(
        expression, ca.vertcat(dae.x.symbol, dae.z.symbol), ca.densify(ca.vertcat(x, ca.DM(dae.z.start)))
    )
