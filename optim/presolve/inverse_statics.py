"""Rest with points of the arm at given places: static equilibria found by where the tip is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np
from scipy.stats import qmc

from flexblocks.dae.dae import DAE
from flexblocks.statics.balance import rest, unknown_slices, unknown_vector
from flexblocks.statics.operating_point import OperatingPoint

from ..problem.signals.instant import instant, instant_vector, part_sizes
from ..problem.signals.signals import Signals
from .equilibrium import loop_forces, slow_motions
from .infeasible_goal import out_of_reach

TRIES = 32  # starts about the posture that the search is to stay near to
SPREAD = 2.5  # rad or m, of these starts either way
REACHED = 1e-8  # m or rad
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
    """A rest found.

    Attributes
    ----------
    point : OperatingPoint
    freedom : int
        In how many ways the coordinates can still change at rest, with all that is given kept.
    """

    point: OperatingPoint
    freedom: int


def posture(
    dae: DAE,
    given: Mapping[str, float],
    near: OperatingPoint,
    bounds: np.ndarray,
    input_bounds: np.ndarray,
    where: str,
) -> Posture:
    """Return static equilibrium with given coordinates, outputs and positions of points, as near as can be to another.

    Parameters
    ----------
    dae : DAE
    given : dict of float
        By name of a coordinate, an output or a place (``"payload.x"``), see `Signals`; values at rest.
    near : OperatingPoint
        Of several postures the one with the least distance (q - q0)' M (q - q0) from there is taken; the parameters
        are those of it.
    bounds : ndarray (nx, 2)
        Limits of the states.
    input_bounds : ndarray (nu, 2)
        Limits of the inputs that hold the arm.
    where : str
        For messages.

    Raises
    ------
    ProblemError
        The arm cannot rest so; says by how much it falls short.
    """
    n, index = dae.tree.size, unknown_slices(dae)
    s = ca.SX.sym("s", index.u.stop)
    wanted = at_rest(dae, tuple(given))
    target, p = np.array(list(given.values())), near.p
    balance = rest(dae).call([s, p], True, False)[0]
    start = unknown_vector(dae, near.x, near.z, loop_forces(dae, near), near.u)
    M = dae.mass_matrix(near.x[:n], p).full()
    unbounded = [np.tile([-np.inf, np.inf], (group.stop - group.start, 1)) for group in (index.z, index.multipliers)]
    low, high = unknown_vector(dae, bounds, *unbounded, input_bounds).T
    step = s[:n] - start[:n]
    # Inputs that hold the same posture in several ways: the smallest.
    distance = ca.dot(step, ca.mtimes(ca.DM(M), step)) / 2 + 1e-9 * ca.sumsqr(s[index.u])
    values = wanted.call([s, ca.SX(ca.DM(p))], True, False)[0]
    exact = ca.nlpsol("posture", "ipopt", {"x": s, "f": distance, "g": ca.vertcat(balance, values)}, OPTIONS)
    goal = np.concatenate([np.zeros(balance.numel()), target])
    best, least = None, np.inf
    starts = _starts(dae, near, start, low, high)
    for x0 in starts:
        found = exact(x0=x0, lbx=low, ubx=high, lbg=goal, ubg=goal)
        x = found["x"].full().ravel()
        missed = np.max(np.abs(wanted(x, p).full().ravel() - target))
        if exact.stats()["success"] and missed < REACHED and float(found["f"]) < least - 1e-9:
            best, least = x, float(found["f"])
    if best is None:
        raise out_of_reach(where, given, *_nearest(dae, given, s, balance, values, starts, (low, high)))
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
    )
    return Posture(point, slow_motions(J, n).shape[1])


def at_rest(dae: DAE, names: tuple[str, ...]) -> ca.Function:
    """Return the function (s, p) -> values of these names at rest, see `Signals`; s are the unknowns of statics."""
    at, index = instant(dae), unknown_slices(dae)
    signals, s, p = Signals(at), ca.SX.sym("s", index.u.stop), ca.SX.sym("p", len(dae.p))
    q, w, z, forces, u = (s[group] for group in index)
    still = ca.SX(dae.tree.size, 1)
    at_standstill = {name: ca.SX(size, 1) for name, size in part_sizes(dae).items()}
    y = instant_vector(dae, **at_standstill | {"x": ca.vertcat(q, still, w), "z": z, "f": forces, "u": u})
    values = ca.Function("values", [at.vector, dae.p.symbol], [ca.vertcat(*[signals[name] for name in names])])
    return ca.Function("at_rest", [s, p], [ca.densify(values.call([y, p], True, False)[0])], {"cse": True})


def values_at_rest(dae: DAE, point: OperatingPoint, names: Iterable[str]) -> dict[str, float]:
    """Return the values of anything that an arm has by name, at a rest or as if it were one."""
    names = tuple(names)
    moving = {name: point[name] for name in names if name in dae.x and name not in dae.q_names}
    others = tuple(name for name in names if name not in moving)
    s = unknown_vector(dae, point.x, point.z, loop_forces(dae, point), point.u)
    found = np.array(at_rest(dae, others)(s, point.p)).ravel().tolist() if others else []
    return moving | dict(zip(others, found, strict=True))


def _starts(dae: DAE, near: OperatingPoint, start: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[np.ndarray]:
    """Return where to search from: postures all around, moved in the ways in which the arm can rest."""
    n = dae.tree.size
    ways = slow_motions(rest(dae)(start, near.p)[1].full(), n)
    if not ways.shape[1]:
        return [start]
    # Next to the posture itself too: a stretched arm is a singular place to start from.
    spread = SPREAD * (2 * qmc.Sobol(ways.shape[1], scramble=False).random(TRIES) - 1)
    found = []
    for c in np.vstack([0.05 * spread[:2], spread]):
        x = start.copy()
        x[:n] += ways @ c
        found.append(np.clip(x, low, high))
    return found


def _nearest(
    dae: DAE,
    given: Mapping[str, float],
    s: ca.SX,
    balance: ca.SX,
    values: ca.SX,
    starts: list[np.ndarray],
    limits: tuple[np.ndarray, np.ndarray],
) -> tuple[dict[str, float] | None, float]:
    """Return how near the arm comes, the coordinates held and what else is given approached, and the distance."""
    names = list(given)
    held = [i for i, name in enumerate(names) if name in dae.q_names]
    others = [i for i in range(len(names)) if i not in held]
    target = np.array(list(given.values()))
    gap = values - target
    objective = ca.sumsqr(gap[others]) if others else ca.SX(0)
    constraints = ca.vertcat(balance, gap[held]) if held else balance
    nearest = ca.nlpsol("nearest", "ipopt", {"x": s, "f": objective, "g": constraints}, OPTIONS)
    evaluated, reached, least = ca.Function("values", [s], [values]), None, np.inf
    for x0 in starts:
        found = nearest(x0=x0, lbx=limits[0], ubx=limits[1], lbg=0.0, ubg=0.0)
        if nearest.stats()["success"] and float(found["f"]) < least:
            reached, least = evaluated(found["x"]).full().ravel(), float(found["f"])
    if reached is None:
        return None, np.inf
    return {names[i]: float(reached[i]) for i in others}, float(np.sqrt(least))
