"""Re-solve a plan after moving its goal by 0.05 rad, and plan from nothing: ``python -m benchmarks.resolve``."""

from __future__ import annotations

import time

import pyomo.environ as pyo
from pyomo.contrib.solver.common.factory import SolverFactory
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from benchmarks.planning import GOAL, LIMITS
from flexblocks import models, optim

INTERVALS = 100
REPEATS = 6
#: Ways to re-solve: entries of the solver's configuration, options of IPOPT.
WAYS = {
    "warm start": ({}, {}),
    "... without MUMPS' permutation": ({}, {"mumps_permuting_scaling": 0}),
    "... compiled": ({"compile": True}, {}),
    "... both": ({"compile": True}, {"mumps_permuting_scaling": 0}),
    "... both, tol 1e-6": ({"compile": True}, {"mumps_permuting_scaling": 0, "tol": 1e-6}),
}


def planned() -> pyo.ConcreteModel:
    dae = fb.assemble(models.subudhi_morris_2002())
    problem = optim.RestToRest(start=dict.fromkeys(GOAL, 0.0), goal=GOAL, duration=2.0, limits=LIMITS)
    return optim.pyomo_model(dae, problem, intervals=INTERVALS)


def cold() -> float:
    started = time.perf_counter()
    SolverFactory("casadi").solve(planned())
    return time.perf_counter() - started


def move_goal(m: pyo.ConcreteModel, by: float) -> None:
    for name in ("joint1.angle", "rotor1.angle"):
        m.q[INTERVALS, name].fix(m.q[INTERVALS, name].value + by)


def warm(config: dict, options: dict) -> tuple[float, int]:
    solver, m = SolverFactory("casadi_persistent", **config), planned()
    solver.solve(m, solver_options=options)
    best, iterations = float("inf"), 0
    for k in range(REPEATS):
        move_goal(m, 0.05 if k % 2 == 0 else -0.05)
        started = time.perf_counter()
        result = solver.solve(m, warm_start=True, solver_options=options)
        best = min(best, time.perf_counter() - started)
        iterations = result.extra_info.iteration_count
    return best, iterations


def main() -> None:
    total = min(cold() for _ in range(REPEATS))
    table = Table("way", "time [s]", "iterations", "of the cold total")
    table.add_row("cold: assemble, transcribe, solve", f"{total:.3f}", "", "1.00")
    for name, way in WAYS.items():
        spent, iterations = warm(*way)
        table.add_row(name, f"{spent:.3f}", str(iterations), f"{spent / total:.2f}")
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
