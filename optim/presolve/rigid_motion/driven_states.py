"""First-order states in motion: those that move the rigid arm, what drives these, and those that follow its motion.

Currents and pressures move it, voltages and openings of valves drive those, bristles of friction follow.
"""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np

from flexblocks.constraints.loop_equations import regular_mass
from flexblocks.dae.dae import DAE
from flexblocks.statics.operating_point import OperatingPoint

from ...collocation.schemes import Collocation
from ...tolerances import MET, ROUNDING
from ..equilibrium import accompanying_motion
from ..first_order_states import driven_states, first_order_rates, undriven_states

CORRECTIONS = 8  # Newton steps for the inputs of a state; three or four are usual
SOLVES = 10  # Newton steps for an interval; two are usual, as most such states are linear in themselves
RANK = 1e-11
SLACK = 1e-2  # share of the largest work of a state along a motion, below which it does none


def state_inputs(dae: DAE, x: np.ndarray, z: np.ndarray, u: np.ndarray, p: np.ndarray, dw: np.ndarray) -> np.ndarray:
    """Return the inputs (points, nu) with which the first-order states change at the rates `dw` (points, nw).

    Those that act on no such state stay as in `u`; of several that serve, the nearest to `u` are taken. Points at which
    the rates are not finite keep their `u`.
    """
    rates = first_order_rates(dae)
    slope = ca.densify(ca.jacobian(rates, dae.u.symbol))
    symbols = [dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.p.symbol]
    function = ca.Function("rates", symbols, [ca.densify(rates), slope]).map(len(u))
    found, columns = u.copy(), np.tile(p[:, None], (1, len(u)))
    for _ in range(CORRECTIONS):
        rate, S = function(x.T, z.T, found.T, columns)
        S = _by_point(S, len(u), len(dae.u))
        wanted = dw - np.array(rate).T
        row = np.maximum(np.abs(S).max(axis=2, initial=0.0), 1e-300)
        whole = np.asarray(np.isfinite(S).all(axis=(1, 2)) & np.isfinite(wanted).all(axis=1))
        step = np.zeros_like(found)
        inverse = np.linalg.pinv(S[whole] / row[whole, :, None], rcond=RANK)
        step[whole] = np.einsum("kij,kj->ki", inverse, wanted[whole] / row[whole])
        found = np.where(whole[:, None], found + step, u)
    return found


def moving_forces(
    dae: DAE,
    start: OperatingPoint,
    driven: Mapping[str, float],
    states: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    z: np.ndarray,
    u: np.ndarray,
) -> np.ndarray:
    """Return by how much first-order states (points, nw) exceed those of rest, to exert the forces of a motion.

    By virtual work on the motions of the `driven` coordinates, as `rigid_inputs`: what inputs do not exert themselves,
    motors by their currents and cylinders by their pressures do. Only states that inputs drive are checked.

    Parameters
    ----------
    states : (q, v, w, a), each (points, .)
    z, u : ndarray (points, .)
    """
    q, v, w, a = states
    count, x = len(q), np.hstack(states[:3]).T
    p, asked = np.tile(start.p[:, None], (1, count)), np.zeros_like(w)
    asks = driven_states(dae)
    if not asks:
        return asked
    forces = dae.inverse_dynamics.map(count)(q.T, v.T, a.T, *dae.posture(x.T, z.T, p)[1:])
    symbols = [dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.p.symbol]
    exerted = dae.expressions.applied
    gain = ca.densify(ca.jacobian(exerted, dae.x.symbol)[:, [2 * dae.tree.size + i for i in asks]])
    applied, gains = ca.Function("applied", symbols, [ca.densify(exerted), gain]).map(count)(x, z.T, u.T, p)
    motion = accompanying_motion(dae, start, driven)
    mass = regular_mass(dae, *dae.posture(start.x, start.z, start.p))
    inertia = np.einsum("ng,nm,mg->g", motion, mass, motion)
    power = np.array(forces - applied).T @ motion
    works = _driving(np.einsum("ng,knw->kgw", motion, _by_point(gains, count, len(asks))), inertia)
    whole = np.isfinite(power).all(axis=1) & np.isfinite(works).all(axis=(1, 2))
    asked[np.ix_(np.flatnonzero(whole), np.array(asks))] = _exerting(works[whole], power[whole])
    return asked


def _driving(works: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """Return the works (k, g, w) without those that are rounding: a cylinder that luffs a boom does not slew it.

    Motions compare by the accelerations of a unit of the state, each in the norm of its `inertia` (g,).
    """
    sizes = np.abs(works) / np.sqrt(inertia)[:, None]
    most = np.where(np.isfinite(sizes), sizes, 0.0).max(axis=(0, 1), initial=0.0)
    return np.where(sizes <= ROUNDING * most, 0.0, works)


def _exerting(works: np.ndarray, power: np.ndarray) -> np.ndarray:
    """Return the states (k, w) whose work (k, g, w) per unit is this `power` (k, g), the least that do.

    What works much less at a point than elsewhere does not there: on a way out of balance a rope may hang slack, and
    would have to be shortened by kilometres for a force.
    """
    sizes = np.abs(works)
    row, column = (_positive(sizes.max(axis=axes, initial=0.0)) for axes in ((0, 2), (0, 1)))
    scaled = works / (row[:, None] * column)
    left, values, right = np.linalg.svd(scaled, full_matrices=False)
    if not values.size:
        return np.zeros((len(works), works.shape[2]))
    inverse = np.where(values > SLACK * values.max(), 1 / np.maximum(values, np.finfo(float).tiny), 0.0)
    return np.einsum("krw,kr,kgr,kg->kw", right, inverse, left, power / row) / column


def _positive(values: np.ndarray) -> np.ndarray:
    return np.where(values > 0, values, 1.0)


def following_states(
    dae: DAE, scheme: Collocation, steps: np.ndarray, x: np.ndarray, z: np.ndarray, p: np.ndarray, begin: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return first-order states (K + 1, nw) at mesh points and their rates (K, d, nw) that follow from a motion.

    Their own equations are solved by collocation, interval by interval, along given coordinates, rates and other
    states. Those that inputs drive stay as given, with rates of zero.

    Parameters
    ----------
    scheme : Collocation
        Of degree d.
    steps : ndarray (K,)
        Lengths of the intervals [s].
    x : ndarray (K, d, nx)
        States at the collocation points; what follows is solved for.
    z : ndarray (K, d, nz)
    p : ndarray (np,)
    begin : ndarray (nw,)

    Returns
    -------
    tuple of ndarray, or None
        None if there is no such state, or its equations are not solved.
    """
    n, count, degree = dae.tree.size, len(steps), scheme.degree
    asks = undriven_states(dae)
    if not asks:
        return None
    rates = first_order_rates(dae)[asks]
    rates = ca.substitute(rates, dae.u.symbol, ca.DM.zeros(len(dae.u)))
    slope = ca.densify(ca.jacobian(rates, dae.x.symbol)[:, [2 * n + i for i in asks]])
    symbols = [dae.x.symbol, dae.z.symbol, dae.p.symbol]
    function = ca.Function("rates", symbols, [ca.densify(rates), slope]).map(degree)
    columns = np.tile(p[:, None], (1, degree))
    w, dw = np.tile(begin, (count + 1, 1)), np.zeros((count, degree, len(begin)))
    size, A = len(asks), scheme.integral
    for k, h in enumerate(steps):
        at, now = x[k].copy(), w[k, asks]
        rate = np.zeros((degree, size))
        for _ in range(SOLVES):
            states = now + h * A @ rate
            at[:, [2 * n + i for i in asks]] = states
            value, S = (np.array(part) for part in function(at.T, z[k].T, columns))
            S = S.reshape(size, degree, size).transpose(1, 0, 2)
            gap = rate - value.T
            if not (np.isfinite(gap).all() and np.isfinite(S).all()):
                return None
            # d gap_j / d rate_l = delta_jl - h A_jl S_j
            J = np.eye(degree * size) - h * np.einsum("jl,jab->jalb", A, S).reshape(degree * size, degree * size)
            change = np.linalg.solve(J, gap.ravel()).reshape(degree, size)
            rate = rate - change
            if h * np.max(np.abs(change)) <= MET * np.max(np.abs(now + h * A @ rate)):
                break
        else:
            return None
        dw[k][:, asks] = rate
        w[k + 1, asks] = now + h * A[-1] @ rate
    return w, dw


def _by_point(values: ca.DM, count: int, columns: int) -> np.ndarray:
    """Return matrices that stand side by side as (points, rows, columns)."""
    matrices = np.array(values)
    return matrices.reshape(len(matrices), count, columns).transpose(1, 0, 2)
