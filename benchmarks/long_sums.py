"""Long sums against pounce: ``python -m benchmarks.long_sums [variables ...]``.

The geometric program GPP of CUTE: a sum of n (n - 1) / 2 terms in n variables. Source: H. Mittelmann, private
communication; SIF by N. Gould, January 1998, which gives 1.44009e4 as the optimum for n = 250. It is checked that the
objectives agree. Times are the least of several solves of the ready model, in turn.
"""

from __future__ import annotations

import sys
import time

import pyomo.environ as pyo
import pyomo_pounce  # noqa: F401  (registers the solver)
from rich.console import Console
from rich.table import Table

import flexblocks.optim.casadi_solver  # noqa: F401  (registers the solver)

RUNS, AGREEMENT = 3, 1e-7


def gpp(n: int) -> pyo.ConcreteModel:
    m = pyo.ConcreteModel("gpp")
    m.x = pyo.Var(range(n), initialize=1.0)
    m.objective = pyo.Objective(expr=sum(pyo.exp(m.x[j] - m.x[i]) for i in range(n) for j in range(i + 1, n)))
    m.sums = pyo.Constraint(range(n - 1), rule=lambda m, i: m.x[i] + m.x[i + 1] >= 0)
    m.caps = pyo.Constraint(range(n - 1), rule=lambda m, i: pyo.exp(m.x[i]) + pyo.exp(m.x[i + 1]) <= 20)
    return m


def solved(solver: str, n: int) -> tuple[float, float]:
    """Return the objective and the wall time [s]."""
    model = gpp(n)
    begun = time.perf_counter()
    pyo.SolverFactory(solver).solve(model)
    return pyo.value(model.objective), time.perf_counter() - begun


def main() -> None:
    sizes = [int(word) for word in sys.argv[1:]] or [100, 250]
    table = Table("variables", "terms", "objective", r"casadi \[s]", r"pounce \[s]", title="GPP of CUTE")
    for n in sizes:
        runs = [(solved("casadi", n), solved("pounce", n)) for _ in range(RUNS)]
        (ours, _), (theirs, _) = runs[0]
        assert abs(ours - theirs) <= AGREEMENT * abs(theirs), (ours, theirs)
        times = [min(run[k][1] for run in runs) for k in (0, 1)]
        table.add_row(str(n), str(n * (n - 1) // 2), f"{ours:.6g}", *(f"{spent:.2f}" for spent in times))
    Console().print(table)


if __name__ == "__main__":
    main()
