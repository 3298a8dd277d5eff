"""Planning against pyomo.dae and pounce: ``python -m benchmarks.planning_pyomo_dae [intervals]``.

One and two links, the same problem on the same mesh with the same scheme, end to end: from blocks to the optimum. The
opponent gets the equations of motion for nothing (its time does not contain assembling them), and every intermediate
result as a named Expression. It is checked that the objectives agree. Times are the least of several runs, in turn.
"""

from __future__ import annotations

import sys
import time

import pyomo.environ as pyo
import pyomo_pounce  # noqa: F401  (registers the solver)
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from benchmarks.planning import GOAL, LIMITS
from benchmarks.pyomo_dae_arm import least_effort
from flexblocks import models, optim

RUNS, DURATION, AGREEMENT = 3, 2.0, 1e-5  # pounce stops at another tolerance


def by_flexblocks(links: int, intervals: int) -> tuple[float, float]:
    """Return the objective and the wall time [s]."""
    begun = time.perf_counter()
    dae = fb.assemble(models.subudhi_morris_2002(links=links))
    goal = {name: angle for name, angle in GOAL.items() if name in dae.q_names}
    limits = {name: limit for name, limit in LIMITS.items() if name in dae.u.names}
    problem = optim.RestToRest(dict.fromkeys(goal, 0.0), goal, DURATION, limits=limits)
    model = optim.pyomo_model(dae, problem, intervals=intervals)
    pyo.SolverFactory("casadi").solve(model)
    return pyo.value(model.objective), time.perf_counter() - begun


def by_pyomo_dae(links: int, intervals: int) -> tuple[float, float, float]:
    """Return the objective and the wall times [s] of making the model and of solving it."""
    dae = fb.assemble(models.subudhi_morris_2002(links=links))
    # Rotors turn with their joints.
    goal = {name: GOAL[name.replace("rotor", "joint")] for name in dae.q_names if name.endswith(".angle")}
    limits = [LIMITS[name] for name in dae.u.names]
    begun = time.perf_counter()
    model = least_effort(dae, goal, limits, DURATION, intervals)
    built = time.perf_counter()
    pyo.SolverFactory("pounce").solve(model)
    return pyo.value(model.objective), built - begun, time.perf_counter() - built


def main() -> None:
    intervals = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    table = Table("links", "pyomo.dae: model [s]", "solve [s]", "total [s]", "flexblocks: total [s]", "ratio")
    for links in (1, 2):
        ours, theirs = [], []
        for _ in range(RUNS):
            ours.append(by_flexblocks(links, intervals))
            theirs.append(by_pyomo_dae(links, intervals))
        difference = abs(ours[0][0] - theirs[0][0])
        assert difference < AGREEMENT, f"{links} links: objectives differ by {difference:g}"
        total = min(spent for _, spent in ours)
        parts = [min(run[i] for run in theirs) for i in (1, 2)]
        whole = min(run[1] + run[2] for run in theirs)
        numbers = (*parts, whole, total)
        table.add_row(str(links), *(f"{number:.2f}" for number in numbers), f"{whole / total:.1f}")
    console = Console(width=120, markup=False)
    console.print(f"{intervals} intervals")
    console.print(table)


if __name__ == "__main__":
    main()
