"""Re-solve a plan whose goal moves in steps of 0.05 rad, against cold starts: ``python -m benchmarks.resolve [tight]``.

The goal of the shoulder goes ahead from solve to solve and never back to where it was. It is checked that the last
re-solve ends where planning from nothing ends. Every time is the least of several runs, taken in turn. With
tight limits others hold after every move.
"""

from __future__ import annotations

import sys
import time
from statistics import median

import pyomo.environ as pyo
from pyomo.contrib.solver.common.factory import SolverFactory
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from benchmarks.planning import GOAL, LIMITS
from flexblocks import models, optim

INTERVALS, MOVES, STEP = 100, 8, 0.05
RUNS, AGREEMENT = 4, 1e-6
TIGHT = {"motor1.torque": 0.33, "motor2.torque": 0.38, "der(joint1.angle)": 2.2}
SHOULDER = ("joint1.angle", "rotor1.angle")
#: Ways to re-solve: entries of the solver's configuration, options of IPOPT, whether each solve is prepared before.
WAYS: dict[str, tuple] = {
    "followed by Newton's method": ({}, {}),
    "... prepared before the clock starts": ({}, {}, True),
    "... compiled": ({"compile": True}, {}),
    "IPOPT's warm start": ({"predict": False}, {}),
    "... without MUMPS' permutation": ({"predict": False}, {"mumps_permuting_scaling": 0}),
    "... and compiled": ({"predict": False, "compile": True}, {"mumps_permuting_scaling": 0}),
}


def planned(ahead: float = 0.0) -> pyo.ConcreteModel:
    dae = fb.assemble(models.subudhi_morris_2002())
    goal = GOAL | {"joint1.angle": GOAL["joint1.angle"] + ahead}
    limits = TIGHT if "tight" in sys.argv else LIMITS
    problem = optim.RestToRest(start=dict.fromkeys(GOAL, 0.0), goal=goal, duration=2.0, limits=limits)
    return optim.pyomo_model(dae, problem, intervals=INTERVALS)


def cold(ahead: float = 0.0) -> tuple[float, float]:
    """Return the wall time [s] and the objective."""
    started = time.perf_counter()
    result = SolverFactory("casadi").solve(planned(ahead))
    return time.perf_counter() - started, result.incumbent_objective


def walk(config: dict, options: dict, prepare: bool = False) -> tuple[list[float], list[tuple[int, int]], float]:
    """Return the wall time [s] of every re-solve, the steps of Newton's method and of IPOPT, and the last objective."""
    solver, m = SolverFactory("casadi_persistent", **config), planned()
    result = solver.solve(m, solver_options=options)
    spent, steps = [], []
    for _ in range(MOVES):
        for name in SHOULDER:
            m.q[INTERVALS, name].fix(m.q[INTERVALS, name].value + STEP)
        if prepare:
            solver.prepare()
        started = time.perf_counter()
        result = solver.solve(m, warm_start=True, solver_options=options)
        spent.append(time.perf_counter() - started)
        steps.append((result.extra_info.newton_steps, result.extra_info.iteration_count))
    return spent, steps, result.incumbent_objective


def main() -> None:
    expected, total = cold(MOVES * STEP)[1], float("inf")
    runs: dict[str, list] = {name: [] for name in WAYS}
    for _ in range(RUNS):
        total = min(total, cold()[0])
        for name, way in WAYS.items():
            runs[name].append(walk(*way))
            difference = abs(runs[name][-1][-1] - expected)
            assert difference < AGREEMENT, f"{name}: objectives differ by {difference:g}"
    table = Table("way", "first [s]", "later, median [s]", "of the cold total", "Newton's steps", "iterations")
    table.add_row("cold: assemble, transcribe, solve", f"{total:.3f}", "", "1")
    for name, walks in runs.items():
        spent = [min(times) for times in zip(*(times for times, _, _ in walks), strict=True)]
        first, later = spent[0], median(spent[1:])
        newton, iterations = (f"{min(steps)} to {max(steps)}" for steps in zip(*walks[0][1], strict=True))
        ratios = f"{first / total:.2f}, {later / total:.3f}"
        table.add_row(name, f"{first:.3f}", f"{later:.3f}", ratios, newton, iterations)
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
