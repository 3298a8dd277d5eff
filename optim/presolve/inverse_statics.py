"""Inverse statics: static equilibrium with points of the arm at prescribed positions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np
from scipy.stats import qmc

from flexblocks.constraints.closed_posture import same_assembly
from flexblocks.dae.dae import DAE
from flexblocks.geometry import bending
from flexblocks.statics.balance import rest, rest_residuals, unknown_slices, unknown_vector
from flexblocks.statics.operating_point import OperatingPoint

from ..problem.signals.instant import instant, instant_rows, instant_vector, part_sizes
from ..problem.signals.signals import Signals
from .equilibrium import accompanying_motion, loop_forces, slow_motions
from .infeasible_goal import out_of_reach

# A posture with joints turned back by whole turns is taken if it is no farther than this many times, in the metric
# of the mass matrix: a wrist hardly counts there (1.2 times), a joint that swings the arm the other way does (17).
ALIKE = 2.0
TRIES = 32  # start points around the preferred posture, a power of two for Sobol sampling; by trial
SPREAD = 2.5  # rad or m, half width of their distribution: 0.8 of a turn of each joint in all
REACHED = 1e-8  # m or rad, error up to which a posture counts as reached
OPTIONS = {
    "print_time": False,
    "error_on_fail": False,
    "ipopt": {
        "print_level": 0,
        "sb": "yes",
        "tol": 1e-11,
        "constr_viol_tol": 1e-11,
        "mumps_pivtol": 1e-2,
        "max_iter": 200,
    },
}


@dataclass(frozen=True, eq=False)
class Posture:
    """A posture of rest.

    Attributes
    ----------
    point : OperatingPoint
    freedom : int
        Dimension of the self-motion manifold: in how many ways the coordinates can change with the prescribed values
        kept.
    moving : bool
        Whether the point has rates: it is then in motion through that posture.
    """

    point: OperatingPoint
    freedom: int
    moving: bool = False


def posture(
    dae: DAE,
    prescribed: Mapping[str, float],
    near: OperatingPoint,
    bounds: np.ndarray,
    input_bounds: np.ndarray,
    where: str,
) -> Posture:
    """Solve inverse statics: the equilibrium with prescribed coordinates and outputs that is nearest to another.

    Parameters
    ----------
    dae : DAE
    prescribed : dict of float
        By name of a coordinate, an output or a point position (``"payload.x"``), see `Signals`; values at rest.
    near : OperatingPoint
        Of several postures the one with the least distance (q - q0)' M (q - q0) from this one is taken, and its
        parameters hold. A linkage stays in its assembly.
    bounds : ndarray (nx, 2)
        Limits of the states.
    input_bounds : ndarray (nu, 2)
        Limits of the inputs that hold the arm.
    where : str
        For messages.

    Raises
    ------
    ProblemError
        There is no such equilibrium; the message says how far it is missed.
    """
    # Symbols: the unknowns of statics, the balance of forces and the prescribed values
    n, index = dae.tree.size, unknown_slices(dae)
    s = ca.SX.sym("s", index.u.stop)
    wanted = at_rest(dae, tuple(prescribed))
    target, p = np.array(list(prescribed.values())), near.p
    balance = rest_residuals(dae).call([s, p], True, False)[0]
    start = unknown_vector(dae, near.x, near.z, loop_forces(dae, near), near.u)
    M = dae.mass_matrix(near.x[:n], p).full()
    free_z, free_forces = (np.tile([-np.inf, np.inf], (g.stop - g.start, 1)) for g in (index.z, index.multipliers))
    low, high = unknown_vector(dae, bounds, free_z, free_forces, input_bounds).T
    step = s[:n] - start[:n]
    # Nearest posture; of redundant inputs that hold it, the smallest (1e-9 decides between equals only)
    distance = ca.dot(step, ca.mtimes(ca.DM(M), step)) / 2 + 1e-9 * ca.sumsqr(s[index.u])
    values = wanted.call([s, ca.SX(ca.DM(p))], True, False)[0]
    if balance.numel() + len(target) <= s.numel():
        problem = {"x": s, "f": distance, "g": ca.vertcat(balance, values)}
        goal = np.concatenate([np.zeros(balance.numel()), target])
    else:
        # More conditions than the arm can be moved for, all met only where some follow from others: by least squares.
        problem = {"x": s, "f": ca.sumsqr(values - target), "g": balance}
        goal = np.zeros(balance.numel())
    exact = ca.nlpsol("posture", "ipopt", problem, OPTIONS)
    # Multistart: the best of all local solutions
    best, least = None, np.inf
    loops = bool(dae.tree.loops.closures)
    starts = _starts(dae, near, start, low, high)

    def solved(x0: np.ndarray) -> tuple[np.ndarray, float] | None:
        solution = exact(x0=x0, lbx=low, ubx=high, lbg=goal, ubg=goal)
        x = solution["x"].full().ravel()
        missed = np.max(np.abs(wanted(x, p).full().ravel() - target))
        # The closures among the equations cannot tell a pin from one that is turned by half a turn.
        valid = exact.stats()["success"] and missed < REACHED
        valid = valid and (not loops or same_assembly(dae, near.x[:n], x[index.q], p))
        return (x, float(solution["f"])) if valid else None

    for x0 in starts:
        there = solved(x0)
        if there is not None and there[1] < least - 1e-9:
            best, least = there
    if best is None:
        raise out_of_reach(where, prescribed, *_nearest(dae, prescribed, s, balance, values, starts, (low, high)))
    # The metric of one posture is blind to whole turns.
    for x0 in _unwound(dae, near, start, best):
        there = solved(x0) if np.all((x0 >= low) & (x0 <= high)) else None
        if there is not None and there[1] < ALIKE * least:
            best = there[0]
            break
    # The operating point, and its null motions
    q = best[index.q]
    function = ca.Function("both", [s], [ca.vertcat(balance, values), ca.jacobian(ca.vertcat(balance, values), s)])
    residual, J = (part.full() for part in function(best))
    point = OperatingPoint(
        states=dae.x.names,
        algebraics=dae.z.names,
        inputs=dae.u.names,
        parameters=dae.p.names,
        x=np.concatenate([q, np.zeros_like(q), best[index.w]]),
        z=best[index.z],
        u=best[index.u],
        p=p,
        residual=residual.ravel()[: index.z.stop],
        dae=dae,
    )
    return Posture(point, slow_motions(J, n).shape[1])


def at_rest(dae: DAE, names: tuple[str, ...]) -> ca.Function:
    """Return (s, p) -> signals of these names at rest, see `Signals`; s are the unknowns of statics."""
    at, index = instant(dae), unknown_slices(dae)
    signals, s, p = Signals(at), ca.SX.sym("s", index.u.stop), ca.SX.sym("p", len(dae.p))
    q, w, z, forces, u = (s[group] for group in index)
    still = ca.SX(dae.tree.size, 1)
    standing_still = {name: ca.SX(size, 1) for name, size in part_sizes(dae).items()}
    y = instant_vector(dae, **standing_still | {"x": ca.vertcat(q, still, w), "z": z, "f": forces, "u": u})
    values = ca.Function("values", [at.vector, dae.p.symbol], [ca.vertcat(*[signals[name] for name in names])])
    return ca.Function("at_rest", [s, p], [ca.densify(values.call([y, p], True, False)[0])], {"cse": True})


def values_at_rest(dae: DAE, point: OperatingPoint, names: Iterable[str]) -> dict[str, float]:
    """Return the values of named signals at an operating point, with accelerations of zero."""
    names, at = tuple(names), instant(dae)
    signals = Signals(at)
    values = ca.densify(ca.vertcat(*[signals[name] for name in names], ca.SX(0, 1)))
    y = instant_rows(dae, x=point.x, z=point.z, f=loop_forces(dae, point), u=point.u, time=np.zeros(1))
    numbers = ca.Function("values", [at.vector, dae.p.symbol], [values])(y, point.p)
    return dict(zip(names, numbers.full().ravel().tolist(), strict=True))


def _starts(dae: DAE, near: OperatingPoint, start: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[np.ndarray]:
    """Return start points of the search: the posture displaced along its quasi-static motions."""
    n = dae.tree.size
    ways = slow_motions(rest(dae)(start, near.p)[1].full(), n)
    if not ways.shape[1]:
        return [start]
    # Two start points close to the posture (5 %): the posture itself may be singular, as a stretched arm is.
    spread = SPREAD * (2 * qmc.Sobol(ways.shape[1], scramble=False).random(TRIES) - 1)
    starts = []
    for c in np.vstack([0.05 * spread[:2], spread]):
        x = start.copy()
        x[:n] += ways @ c
        starts.append(np.clip(x, low, high))
    return starts


def _unwound(dae: DAE, near: OperatingPoint, start: np.ndarray, best: np.ndarray) -> list[np.ndarray]:
    """Return the posture with joints turned back by whole turns that are more than half a turn away: all, then each.

    What follows the joint turn by turn, as its rotor does, is turned with it.
    """
    n, turn, others, whole = dae.tree.size, 2 * np.pi, [], best.copy()
    bends = bending(dae)[:n]
    for i in range(n):
        turns = 0.0
        if dae.x.units[i] == "rad" and not bends[i]:
            turns = np.round((best[i] - start[i]) / turn)
        if turns:
            follow = np.round(accompanying_motion(dae, near, {dae.q_names[i]: 0.0})[:, 0])
            follow[[unit != "rad" for unit in dae.x.units[:n]]] = 0.0
            back = best.copy()
            back[:n] -= turn * turns * follow
            whole[:n] -= turn * turns * follow
            others.append(back)
    return [whole, *others] if len(others) > 1 else others


def _nearest(
    dae: DAE,
    prescribed: Mapping[str, float],
    s: ca.SX,
    balance: ca.SX,
    values: ca.SX,
    starts: list[np.ndarray],
    limits: tuple[np.ndarray, np.ndarray],
) -> tuple[dict[str, float] | None, float]:
    """Return the nearest reachable values of the outputs, coordinates being kept, and their distance."""
    names = list(prescribed)
    held = [i for i, name in enumerate(names) if name in dae.q_names]
    others = [i for i in range(len(names)) if i not in held]
    target = np.array(list(prescribed.values()))
    gap = values - target
    objective = ca.sumsqr(gap[others]) if others else ca.SX(0)
    constraints = ca.vertcat(balance, gap[held]) if held else balance
    nearest = ca.nlpsol("nearest", "ipopt", {"x": s, "f": objective, "g": constraints}, OPTIONS)
    evaluated, reached, least = ca.Function("values", [s], [values]), None, np.inf
    for x0 in starts:
        solution = nearest(x0=x0, lbx=limits[0], ubx=limits[1], lbg=0.0, ubg=0.0)
        if nearest.stats()["success"] and float(solution["f"]) < least:
            reached, least = evaluated(solution["x"]).full().ravel(), float(solution["f"])
    if reached is None:
        return None, np.inf
    return {names[i]: float(reached[i]) for i in others}, float(np.sqrt(least))
