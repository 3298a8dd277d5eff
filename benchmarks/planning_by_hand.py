"""Planning against a script written by hand in CasADi: ``python -m benchmarks.planning_by_hand [intervals ...]``.

Both solve the same problem on the same mesh, by IPOPT with the same options, cold: from blocks or from nothing to the
optimum. It is checked that the objectives agree. Every time is the least of several runs, taken in turn.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

from pyomo.contrib.solver.common.factory import SolverFactory
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from benchmarks.collocation_by_hand import FORMS, ByHand, plan_by_hand
from benchmarks.planning import GOAL, LIMITS
from flexblocks import models, optim

RUNS = 3
AGREEMENT = 1e-6


@dataclass(frozen=True)
class Cold:
    """A cold start: wall times [s] of assembly, Pyomo model, its translation with derivatives, and IPOPT."""

    objective: float
    iterations: int
    assembled: float
    transcribed: float
    prepared: float
    solved: float

    @property
    def total(self) -> float:
        return self.assembled + self.transcribed + self.prepared + self.solved


def plan_from_blocks(intervals: int) -> Cold:
    begun = time.perf_counter()
    dae = fb.assemble(models.subudhi_morris_2002())
    assembled = time.perf_counter()
    problem = optim.RestToRest(start=dict.fromkeys(GOAL, 0.0), goal=GOAL, duration=2.0, limits=LIMITS)
    model = optim.pyomo_model(dae, problem, intervals=intervals, quasi_static=False)
    transcribed = time.perf_counter()
    result = SolverFactory("casadi").solve(model)
    everything, solved = time.perf_counter() - transcribed, result.timing_info.solve
    return Cold(
        objective=result.incumbent_objective,
        iterations=result.extra_info.iteration_count,
        assembled=assembled - begun,
        transcribed=transcribed - assembled,
        prepared=everything - solved,
        solved=solved,
    )


def main() -> None:
    meshes = [int(argument) for argument in sys.argv[1:]] or [40, 100]
    table = Table("intervals", "by", "assemble [s]", "model [s]", "prepare [s]", "solve [s]", "iterations", "total [s]")
    ratios = Table("intervals", "against the form with", "solve", "total", "objectives differ by")
    for intervals in meshes:
        ours: list[Cold] = []
        theirs: dict[str, list[ByHand]] = {form: [] for form in FORMS}
        for _ in range(RUNS):
            ours.append(plan_from_blocks(intervals))
            for form, runs in theirs.items():
                runs.append(plan_by_hand(intervals, form))
        parts = [min(getattr(run, name) for run in ours) for name in ("assembled", "transcribed", "prepared", "solved")]
        total = min(run.total for run in ours)
        steps = str(ours[0].iterations)
        table.add_row(str(intervals), "flexblocks", *(f"{part:.3f}" for part in parts), steps, f"{total:.3f}")
        for form, runs in theirs.items():
            built, solved = (min(getattr(run, name) for run in runs) for name in ("built", "solved"))
            whole = min(run.built + run.solved for run in runs)
            difference = abs(ours[0].objective - runs[0].objective)
            assert difference < AGREEMENT, f"{form}: objectives differ by {difference:g}"
            numbers = "", f"{built:.3f}", "", f"{solved:.3f}", str(runs[0].iterations), f"{whole:.3f}"
            table.add_row("", f"hand, {form}", *numbers)
            row = str(intervals), form, f"{parts[-1] / solved:.2f}", f"{total / whole:.2f}", f"{difference:.0e}"
            ratios.add_row(*row)
    console = Console(width=120, markup=False)
    console.print(table)
    console.print(ratios)


if __name__ == "__main__":
    main()
