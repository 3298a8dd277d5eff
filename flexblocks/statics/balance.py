"""Residuals of the equations of an arm, at rest or in motion, and the vector of unknowns of statics."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from flexblocks.constraints.loop_equations import regular_mass
from flexblocks.dae.dae import DAE
from flexblocks.dae.forward_jacobian import forward_jacobian
from flexblocks.dynamics.algorithms.energy import weight_energies
from flexblocks.dynamics.algorithms.generalized_forces import applied_force, residuals, rest_conditions, state_rates
from flexblocks.dynamics.algorithms.newton_euler import inverse_dynamics
from flexblocks.dynamics.algorithms.prescribed_motion import reduced_balance, reduced_loop_force
from flexblocks.dynamics.at_posture.mass_matrix import solve_scaled


class Unknowns(NamedTuple):
    """Groups of the unknowns of statics, in their order in s = [q, w, z, lambda, u].

    Coordinates, first-order states, algebraic variables, Lagrange multipliers of loop closures, and inputs.
    """

    q: Any
    w: Any
    z: Any
    multipliers: Any
    u: Any


def unknowns(dae: DAE, x: Any, z: Any, multipliers: Any, u: Any) -> Unknowns:
    """Return the unknowns in x (or its names, or units), without velocities, and the other groups."""
    q, _, w = dae.tree.split_state(x)
    return Unknowns(q, w, z, multipliers, u)


def unknown_vector(dae: DAE, x: np.ndarray, z: np.ndarray, multipliers: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return the vector of unknowns s (ns,) at a point."""
    return np.concatenate(unknowns(dae, x, z, multipliers, u))


def unknown_slices(dae: DAE) -> Unknowns:
    """Return the slice of each group in s."""
    groups = unknowns(dae, dae.x.names, dae.z.names, dae.tree.loops.multipliers, dae.u.names)
    ends = np.cumsum([0, *map(len, groups)]).tolist()
    return Unknowns(*map(slice, ends[:-1], ends[1:]))


def _stacked(dae: DAE, v: ca.SX, a: ca.SX, multipliers: ca.SX, states: Callable[..., ca.SX]) -> ca.SX:
    """Return the stacked residuals of all equations.

    M a + h - Q - J' lambda (n), the equations of the first-order states (nw) and the algebraic residuals (nz).

    With the accelerations as an argument this is recursive inverse dynamics: no mass matrix is factorised. Without
    common subexpressions, the search for which takes longer than the few evaluations that they would shorten.
    """
    q = dae.q
    x, z, u = ca.vertcat(q, v, dae.w), dae.z.symbol, dae.u.symbol
    if dae.tree.prescribed:
        force = reduced_balance(dae.tree, x, z, u, a)
    else:
        force = inverse_dynamics(dae.tree, q, v, a) - applied_force(dae.tree, x, z, u)
    if dae.tree.loops.closures:
        force -= reduced_loop_force(dae.tree, dae.expressions.constraint, q, multipliers)
    return ca.densify(ca.vertcat(force, states(dae.tree, x, z, u), residuals(dae.tree, x, z, u)))


@lru_cache(maxsize=16)
def motion(dae: DAE) -> ca.Function:
    """Return the function (x, z, u, p, a, lambda) -> residuals in motion, and their Jacobians in x, z and u."""
    residuals_of = motion_residuals(dae)
    symbols = residuals_of.mx_in()
    return ca.Function(
        "motion", symbols, [residuals_of(*symbols), *forward_jacobian(residuals_of, range(3)).call(symbols)]
    )


@lru_cache(maxsize=16)
def motion_residuals(dae: DAE) -> ca.Function:
    """Return the function (x, z, u, p, a, lambda) -> residuals in motion, of accelerations and loop forces."""
    a, forces = ca.SX.sym("a", dae.tree.size), _multipliers(dae)
    symbols = [dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.p.symbol, a, forces]
    return ca.Function("motion_residuals", symbols, [_stacked(dae, dae.v, a, forces, state_rates)])


@lru_cache(maxsize=16)
def rest(dae: DAE) -> ca.Function:
    """Return the function (s, p) -> residuals at rest, their Jacobian in s, and weights; s = [q, w, z, lambda, u].

    The closures of loops (m) follow the other residuals. The weights (bodies, n) are the generalised forces of gravity
    on each body: the magnitude of the terms that cancel at equilibrium.
    """
    residuals_of = rest_residuals(dae)
    s, p = residuals_of.mx_in()
    weights = forward_jacobian(_heights(dae), [0])
    n, slopes = dae.tree.size, forward_jacobian(residuals_of, [0])
    return ca.Function("rest", [s, p], [residuals_of(s, p), slopes(s, p), weights(s[:n], s[n:], p)])


@lru_cache(maxsize=16)
def rest_residuals(dae: DAE) -> ca.Function:
    """Return the function (s, p) -> residuals at rest, as `rest`, which takes symbols and can be differentiated."""
    still, forces = ca.SX(dae.tree.size, 1), _multipliers(dae)
    s = ca.vertcat(*unknowns(dae, dae.x.symbol, dae.z.symbol, forces, dae.u.symbol))
    r = ca.vertcat(_stacked(dae, still, still, forces, rest_conditions), dae.expressions.constraint)
    return ca.Function("rest_residuals", [s, dae.p.symbol], [ca.densify(r)])


def _heights(dae: DAE) -> ca.Function:
    """Return the function (q, other unknowns, p) -> potential energy of the weight of each body."""
    heights = ca.vertcat(*weight_energies(dae.tree, dae.q).values(), ca.SX(0, 1))
    _, *others = unknowns(dae, dae.x.symbol, dae.z.symbol, _multipliers(dae), dae.u.symbol)
    return ca.Function("heights", [dae.q, ca.vertcat(*others), dae.p.symbol], [ca.densify(heights)])


def accelerations(
    dae: DAE, x: np.ndarray, z: np.ndarray, u: np.ndarray, p: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return accelerations (n) and loop forces (m) of the motion through a point.

    From the mass matrix at that point, which takes a fraction of the time of deriving `DAE.forward_dynamics`; and
    without Baumgarte stabilisation, which would amplify rounding errors.
    """
    n, none = dae.tree.size, np.zeros(len(dae.tree.loops.multipliers))
    force = -motion_residuals(dae)(x, z, u, p, 0.0, none).full()[:n]
    M = regular_mass(dae, *dae.posture(x, z, p))
    held = list(dae.tree.prescribed_columns)
    M[held, :], M[:, held] = 0.0, 0.0
    M[held, held] = 1.0
    if not none.size:
        return solve_scaled(M, force).ravel(), none
    J, drift = (value.full() for value in _closures(dae)(x[n : 2 * n], *dae.posture(x, z, p)))
    drift += J[:, held] @ force[held]  # a of the prescribed ones
    J[:, held] = 0.0
    solved = solve_scaled(M, np.hstack([force - (J.T * np.array(dae.tree.loops.weights)) @ drift, J.T]))
    free, moved = solved[:, :1], solved[:, 1:]
    forces = np.linalg.solve(J @ moved, -drift - J @ free)
    return (free + moved @ forces).ravel(), forces.ravel()


def loop_forces(dae: DAE, x: np.ndarray, z: np.ndarray, u: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return the loop forces (m) of the motion through a point; without loops nothing is computed."""
    return accelerations(dae, x, z, u, p)[1] if dae.tree.loops.closures else np.zeros(0)


@lru_cache(maxsize=16)
def _closures(dae: DAE) -> ca.Function:
    """Return the function (v, posture) -> J, dJ/dt v; see `DAE.posture_symbols`."""
    return ca.Function("closures", [dae.v, *dae.posture_symbols], ca.cse(list(dae.expressions.constraint_rates)))


def _multipliers(dae: DAE) -> ca.SX:
    return ca.SX.sym("lambda", len(dae.tree.loops.multipliers))
