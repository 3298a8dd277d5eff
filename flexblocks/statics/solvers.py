"""Solvers for the static problem of an arm: a root, the nearest one, the smallest inputs."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, cast

import casadi as ca
import numpy as np
import scipy.integrate
import scipy.linalg
import scipy.optimize

from flexblocks.errors import FlexblocksWarning
from flexblocks.statics.problem import RANK, Statics, rank

# Long enough to sink along all but the slowest motions, which the search for a root then finishes [s2].
SINKING_TIME = 100.0


def root(problem: Statics, rows: np.ndarray | None = None, best: bool = False) -> np.ndarray | None:
    """Return a point in balance (in the equations `rows`), or None; with `best` the best that was found instead.

    The search begins a little way along the fall from the start values: from a start that is level between hanging and
    standing an arm goes down, and from one where no force changes to first order it goes somewhere. It is repeated from
    the start itself, and from where the arm sinks to.
    """
    rows = np.ones(problem.rows, dtype=bool) if rows is None else rows
    found = []
    for s in _candidates(problem, rows):
        s = polished(problem, s, rows)
        left = np.abs(problem.residual(s)[rows])
        if np.all(left <= problem.tolerance(s)[rows]):
            return s
        found.append((np.max(left), s))
    return min(found, key=lambda item: item[0])[1] if best else None


def _candidates(problem: Statics, rows: np.ndarray) -> Iterator[np.ndarray]:
    """Yield points at which the forces in `rows` may balance, the likeliest first."""
    fall = _fall(problem)
    for step in [0.1, 0.0] if fall.any() else [0.0]:
        yield _least_squares(problem, problem.start + step * fall, rows)
    yield _least_squares(problem, _sunk(problem), rows)


def _fall(problem: Statics) -> np.ndarray:
    """Return the direction (ns,) in which the arm would start to move from the start values, its largest entry 1."""
    n = problem.size
    free = problem.free[:n]
    fall = np.zeros_like(problem.start)
    if free.any():
        force = problem.residual(problem.start)[:n][free]
        fall[:n][free] = -problem.mobility(problem.start) @ force
    size = np.max(np.abs(fall), initial=0.0)
    return fall / size if size else fall


def _sunk(problem: Statics) -> np.ndarray:
    """Return where the free coordinates sink to in a thick fluid, M q' = -h, the others and the inputs held.

    It goes downhill all the way, to where a search for a root of the forces may begin. That search alone can be led
    astray by a slender arm, which sags so far that its stiffness at the start says little.
    """
    n = problem.size
    free = np.flatnonzero(problem.free[:n])
    if not free.size:
        return problem.start
    start = problem.mobility(problem.start)

    def full(q: np.ndarray) -> np.ndarray:
        s = problem.start.copy()
        s[free] = q
        return s

    def mobility(q: np.ndarray) -> np.ndarray:
        return problem.mobility(full(q)) if problem.closures else start

    result = scipy.integrate.solve_ivp(
        lambda t, q: -mobility(q) @ problem.residual(full(q))[free],
        (0.0, SINKING_TIME),
        problem.start[free],
        method="BDF",
        jac=lambda t, q: -mobility(q) @ problem.evaluated(full(q))[1][np.ix_(free, free)],
    )
    return full(result.y[:, -1])


def _least_squares(problem: Statics, start: np.ndarray, rows: np.ndarray) -> np.ndarray:
    if not problem.free.any():
        return start
    # Masses make torques and forces comparable: a residual over the root of the mass is that of an acceleration.
    unit = np.concatenate([np.sqrt(np.diag(problem.mass)), np.ones(len(start) - problem.size)])
    weight = 1 / unit[: problem.rows][rows]

    def full(free: np.ndarray) -> np.ndarray:
        s = start.copy()
        s[problem.free] = free
        return s

    def residual(free: np.ndarray) -> np.ndarray:
        return problem.residual(full(free))[rows] * weight

    def jacobian(free: np.ndarray) -> np.ndarray:
        return problem.evaluated(full(free))[1][np.ix_(rows, problem.free)] * weight[:, None]

    result = scipy.optimize.least_squares(
        residual,
        start[problem.free],
        jac=cast(Any, jacobian),
        x_scale=1 / unit[problem.free],
        xtol=1e-15,
        ftol=1e-15,
        gtol=1e-15,
    )
    return full(result.x)


def polished(problem: Statics, s: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
    """Return `s` after Newton steps of least length, as long as they lessen the residual."""
    rows = np.ones(problem.rows, dtype=bool) if rows is None else rows
    for _ in range(20):
        r, J, scale, column = problem.scaled(s)
        if not J.shape[1] or not r[rows].any():
            break
        step = np.linalg.lstsq(J[rows], -r[rows], rcond=RANK)[0]
        trial = s.copy()
        trial[problem.free] += step / column
        if not np.linalg.norm(problem.residual(trial)[rows] / scale[rows]) < np.linalg.norm(r[rows]):
            break
        s = trial
    return s


def nearest_balance(problem: Statics, s: np.ndarray) -> np.ndarray:
    """Return of all points in balance around `s` the one nearest to the start values, by IPOPT."""
    n = problem.size
    unknown = ca.SX.sym("s", int(problem.free.sum()))
    full = ca.SX(ca.DM(problem.start))
    full[np.flatnonzero(problem.free).tolist()] = unknown
    (r, *_) = problem.function.call([full, ca.SX(ca.DM(problem.p))])
    step = full[:n] - problem.start[:n]
    # Equations that follow from the others have multipliers that are not determined; leave them out.
    _, J, scale, _ = problem.scaled(s)
    *_, pivots = scipy.linalg.qr(J.T, pivoting=True, mode="economic")
    kept = np.sort(pivots[: rank(J)])
    nlp = {
        "x": unknown,
        "f": ca.dot(step, ca.DM(problem.mass) @ step) / 2 / np.trace(problem.mass),
        "g": (r / ca.DM(scale))[kept.tolist()],
    }
    quiet = {"print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes", "ipopt.tol": 1e-11, "error_on_fail": False}
    solver = ca.nlpsol("nearest", "ipopt", nlp, quiet)
    solution = solver(x0=s[problem.free], lbg=0.0, ubg=0.0)
    nearest = s.copy()
    nearest[problem.free] = solution["x"].full().ravel()
    nearest = polished(problem, nearest)
    if solver.stats()["success"] and problem.balanced(nearest):
        return nearest
    warnings.warn(
        "equilibrium: many points balance, and the search for the one nearest to the start values stopped "
        f"({solver.stats()['return_status']}); another one is returned. Hold more coordinates or inputs.",
        FlexblocksWarning,
        stacklevel=3,
    )
    return s


def smallest_inputs(problem: Statics, s: np.ndarray) -> np.ndarray:
    """Return the point with the same coordinates, whose inputs are the smallest that hold them."""
    outer = problem.free.copy()
    outer[problem.at.q] = False
    if problem.at.u.start == len(s) or not outer.any():
        return s
    J = problem.evaluated(s)[1][:, outer]
    size = np.max(np.abs(J), axis=0, initial=0.0)
    unit = np.where(size > 0, size, 1.0)
    idle = scipy.linalg.null_space(J / unit, rcond=RANK) / unit[:, None]
    is_input = np.flatnonzero(outer) >= problem.at.u.start
    along = np.linalg.lstsq(idle[is_input], s[outer][is_input], rcond=None)[0]
    smaller = s.copy()
    smaller[outer] -= idle @ along
    return smaller
