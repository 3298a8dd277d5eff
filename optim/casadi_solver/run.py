"""Run IPOPT on a compiled nonlinear program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import casadi as ca
import numpy as np

from .errors import SolverOptionError
from .nlp import NonlinearProgram
from .oracle import Oracle
from .solution import Iterate
from .warmstart import start_multipliers
from .watch import Watch


@dataclass(frozen=True)
class Run:
    """What a run of IPOPT gave.

    Attributes
    ----------
    iterate : Iterate
        The solution, or the last finite iterate.
    return_status : str
        IPOPT's.
    iterations : int
    setup_time, solve_time, evaluation_time : float
        Wall times [s] of making the solver, of IPOPT with all it calls, and of the functions and derivatives in it.
    """

    iterate: Iterate
    return_status: str
    iterations: int
    setup_time: float = 0.0
    solve_time: float = 0.0
    evaluation_time: float = 0.0


def run_ipopt(nlp: NonlinearProgram, oracle: Oracle, options: dict, callback: Callable | None = None) -> Run:
    """Solve `nlp` from the present values, bounds and parameters of its model.

    Raises
    ------
    SolverOptionError
        IPOPT does not take one of the options.
    """
    started = perf_counter()
    p = nlp.parameters()
    n = len(nlp.variables.free)
    if not n:
        return _without_freedom(nlp, oracle, p)
    watch = Watch(nlp.lower, nlp.upper, n, len(p), nlp.sense, callback)
    try:
        solver = ca.nlpsol(
            "nlp", "ipopt", oracle.problem, {**oracle.derivatives, "iteration_callback": watch, **options}
        )
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[-1]
        given = {name.removeprefix("ipopt."): value for name, value in options.items()}
        raise SolverOptionError(
            f"IPOPT refused its options: {reason}. Got {given}; must be names and values of IPOPT's reference."
        ) from error
    lower, upper = nlp.variables.bounds()
    lam_x, lam_g = start_multipliers(nlp)
    ready = perf_counter()
    with watch.interruptible():
        found = solver(
            x0=nlp.variables.start(),
            p=p,
            lbx=lower,
            ubx=upper,
            lbg=nlp.lower,
            ubg=nlp.upper,
            lam_x0=lam_x,
            lam_g0=lam_g,
        )
    done = perf_counter()
    if watch.error is not None:
        raise watch.error
    if watch.last and not found["x"].is_regular():
        found = watch.last
    point = {name: np.asarray(found[name]).ravel() for name in ("x", "g", "lam_x", "lam_g")}
    stats = solver.stats()
    return Run(
        iterate=Iterate(f=float(found["f"]), **point),
        return_status=stats["return_status"],
        iterations=stats["iter_count"],
        setup_time=ready - started,
        solve_time=done - ready,
        evaluation_time=sum(spent for name, spent in stats.items() if name.startswith("t_wall_nlp_")),
    )


def _without_freedom(nlp: NonlinearProgram, oracle: Oracle, p: np.ndarray) -> Run:
    """Return the only point there is; that its constraints hold was seen when the model was compiled."""
    problem = oracle.problem
    f = ca.Function("f", [problem["x"], problem["p"]], [problem["f"]])(np.zeros(0), p)
    nothing = np.zeros(0)
    return Run(Iterate(nothing, float(f), nothing, nothing, nothing), "Solve_Succeeded", 0)
