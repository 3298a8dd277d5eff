"""Solver statistics: termination status, iterations and wall times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

#: Statuses of plans, see `Plan.status`. The last ones are those of Pyomo, why the solver stopped.
Status = Literal[
    "converged",
    "converged, rounded off",
    "optimal",
    "unresolved",
    "unresolved, rounded off",
    "inaccurate",
    "feasible, not optimal",
    "not known",
    "interrupted",
    "maxTimeLimit",
    "iterationLimit",
    "locallyInfeasible",
    "minStepLength",
    "unbounded",
    "error",
]
CONVERGED = "converged"
#: An optimum of an arm whose friction or play is rounded off, where that of the arm itself was not found.
ROUNDED = "converged, rounded off"
#: A motion that keeps all limits, where an optimum was not found.
NOT_OPTIMAL = "feasible, not optimal"
#: An optimum on a mesh on which its replay misses what was allowed, or whose errors exceed a hundredth of the reach.
UNRESOLVED = "unresolved"
#: The same of an arm whose friction or play is rounded off.
UNRESOLVED_ROUNDED = "unresolved, rounded off"
#: What the solver took for an optimum breaks its own equations, by more than its tolerance of their terms.
INACCURATE = "inaccurate"
TIME_LIMIT = "maxTimeLimit"
INFEASIBLE = "locallyInfeasible"  # constraints contradict each other near the last iterate
#: A solve was ended from outside, by the time limit or by Ctrl-C.
ENDED = (TIME_LIMIT, "interrupted")


@dataclass(frozen=True)
class Statistics:
    """Statistics of a solve.

    Attributes
    ----------
    iterations : int or None
        None if unknown.
    build_time, solve_time : float or None
        Wall times [s] of building the Pyomo model, and of compiling and solving it.
    infeasibility : float or None
        Largest violation of the scaled constraints at the end.
    """

    iterations: int | None = None
    build_time: float | None = None
    solve_time: float | None = None
    infeasibility: float | None = None


def status_of(results: Any) -> str:
    """Return the termination condition from a results object of either of Pyomo's interfaces.

    A local optimum of the transcription is ``"converged"``; whether the arm follows it is for a replay to show.
    """
    condition = getattr(results, "termination_condition", None)
    name = (results.solver.termination_condition if condition is None else condition).name
    return CONVERGED if name in ("convergenceCriteriaSatisfied", "optimal") else name


def statistics(model: Any, results: Any) -> Statistics:
    """Return the statistics of the solve that led to a model's present values."""
    times = getattr(results, "timing_info", None)
    extra = getattr(results, "extra_info", None)
    return Statistics(
        iterations=getattr(extra, "iteration_count", None),
        build_time=model.build_time,
        solve_time=getattr(times, "wall_time", None),
        infeasibility=getattr(extra, "infeasibility", None),
    )
