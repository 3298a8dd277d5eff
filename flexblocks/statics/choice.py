"""Choice among many equilibria: the one nearest to the start values, the one with the smallest inputs."""

from __future__ import annotations

import casadi as ca
import numpy as np

from flexblocks.libraries import scipy
from flexblocks.statics.balance import rest_residuals
from flexblocks.statics.problem import RANK, Statics, rank
from flexblocks.statics.solvers import polished
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import MANY_EQUILIBRIA

# Iterations to the nearest of many equilibria; tens are usual.
NEAREST = 300
# Weight of what first-order states change by, in their magnitudes: it decides between equals only. A rope that hangs
# slack may have any length, and left to the search got 1e219 m.
EQUALS = 1e-9


def nearest_balance(problem: Statics, s: np.ndarray) -> np.ndarray:
    """Return the equilibrium around `s` that is nearest to the start values, by IPOPT.

    The distance is that of the coordinates, in the metric of the mass matrix; of equal ones, that of the states.
    """
    n = problem.size
    unknown = ca.SX.sym("s", int(problem.free.sum()))
    full = ca.SX(ca.DM(problem.start))
    full[np.flatnonzero(problem.free).tolist()] = unknown
    (r,) = rest_residuals(problem.dae).call([full, ca.SX(ca.DM(problem.p))])
    step = full[:n] - problem.start[:n]
    # Leave out redundant equations, whose multipliers would not be determined.
    _, J, scale, column = problem.scaled(s)
    *_, pivots = scipy.linalg.qr(J.T, pivoting=True, mode="economic")
    kept = np.sort(pivots[: rank(J)])
    size = np.abs(problem.start)
    size[problem.free] = np.where(size[problem.free] > 0, size[problem.free], 1 / column)
    change = ((full - problem.start) / np.where(size > 0, size, 1.0))[problem.at.w]
    nlp = {
        "x": unknown,
        "f": ca.dot(step, ca.DM(problem.mass) @ step) / 2 / np.trace(problem.mass) + EQUALS * ca.sumsqr(change),
        "g": (r / ca.DM(scale))[kept.tolist()],
    }
    quiet = {"print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes", "ipopt.tol": 1e-11, "error_on_fail": False}
    quiet |= {"ipopt.max_iter": NEAREST, "show_eval_warnings": False}  # a trial too far out is no more than shortened
    solver = ca.nlpsol("nearest", "ipopt", nlp, quiet)
    reach = {"lbx": problem.low[problem.free], "ubx": problem.high[problem.free]}
    solution = solver(x0=s[problem.free], lbg=0.0, ubg=0.0, **reach)
    nearest = s.copy()
    nearest[problem.free] = solution["x"].full().ravel()
    nearest = polished(problem, problem.in_reach(nearest))
    if solver.stats()["success"] and problem.balanced(nearest) and not problem.singular(nearest):
        return nearest
    warn(
        "equilibrium: there are many equilibria, and the search for the one nearest to the start values stopped "
        f"({solver.stats()['return_status']}); another one is returned. Hold more coordinates or inputs.",
        MANY_EQUILIBRIA,
    )
    return s


def smallest_inputs(problem: Statics, s: np.ndarray) -> np.ndarray:
    """Return the equilibrium with the same coordinates and the smallest inputs (least norm) that hold them.

    States that are at rest at any value keep theirs: friction does not do the work of inputs.
    """
    outer = problem.free & ~np.isfinite(problem.high)
    outer[problem.at.q] = False
    if problem.at.u.start == len(s) or not outer.any():
        return s
    J = problem.evaluated(s)[1][:, outer]
    size = np.max(np.abs(J), axis=0, initial=0.0)
    unit = np.where(size > 0, size, 1.0)
    # Changes of inputs, states and multipliers that leave all equations in balance.
    idle = scipy.linalg.null_space(J / unit, rcond=RANK) / unit[:, None]
    is_input = np.flatnonzero(outer) >= problem.at.u.start
    along = np.linalg.lstsq(idle[is_input], s[outer][is_input], rcond=None)[0]
    smaller = s.copy()
    smaller[outer] -= idle @ along
    return smaller
