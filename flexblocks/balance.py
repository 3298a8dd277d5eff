"""All equations of an arm as residuals, the form in which its rest and its linearisation are found."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import casadi as ca

from flexblocks.dae import DAE
from flexblocks.dynamics.energy import weight_energies
from flexblocks.dynamics.forces import applied_force, residuals, rest_conditions, state_rates
from flexblocks.dynamics.inverse import inverse_dynamics


def _stacked(dae: DAE, v: ca.SX, a: ca.SX, states: Callable[..., ca.SX]) -> ca.SX:
    """Return M a + h - Q (n), the equations of the first-order states (nw) and the algebraic residuals (nz), stacked.

    With the accelerations as an argument it is the recursion of inverse dynamics: no mass matrix is solved with, and
    the Jacobians stay small.
    """
    q, w = dae.q, dae.x.symbol[2 * dae.tree.size :]
    x, z, u = ca.vertcat(q, v, w), dae.z.symbol, dae.u.symbol
    force = inverse_dynamics(dae.tree, q, v, a) - applied_force(dae.tree, x, z, u)
    return ca.densify(ca.vertcat(force, states(dae.tree, x, z, u), residuals(dae.tree, x, z, u)))


@lru_cache(maxsize=16)
def motion(dae: DAE) -> ca.Function:
    """Return the function (x, z, u, p, a) -> residuals, and their Jacobians in x, z and u."""
    a = ca.SX.sym("a", dae.tree.size)
    r = _stacked(dae, dae.v, a, state_rates)
    jacobians = [ca.jacobian(r, group.symbol) for group in (dae.x, dae.z, dae.u)]
    symbols = [dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.p.symbol, a]
    return ca.Function("motion", symbols, ca.cse([r, *jacobians]))


@lru_cache(maxsize=16)
def rest(dae: DAE) -> ca.Function:
    """Return the function (s, p) -> residuals at rest, their Jacobian in s, and weights; s = [q, w, z, u].

    The weights (bodies, n) are the generalised forces of gravity on each body: they say how much cancels in a balance.
    """
    still = ca.SX(dae.tree.size, 1)
    s = ca.vertcat(dae.q, dae.x.symbol[2 * dae.tree.size :], dae.z.symbol, dae.u.symbol)
    r = _stacked(dae, still, still, rest_conditions)
    heights = ca.vertcat(*weight_energies(dae.tree, dae.q).values(), ca.SX(0, 1))
    return ca.Function("rest", [s, dae.p.symbol], ca.cse([r, ca.jacobian(r, s), ca.jacobian(heights, dae.q)]))
