"""Least effort from rest to rest, by mesh: build, solve, objective, replay: ``python -m benchmarks.planning``."""

from __future__ import annotations

import math
import time

from rich.console import Console
from rich.table import Table

import flexblocks as fb
from flexblocks import models, optim

GOAL = {"joint1.angle": math.pi / 2, "joint2.angle": math.pi / 6}
LIMITS = {"motor1.torque": 4.0, "motor2.torque": 2.0}


def main() -> None:
    table = Table("intervals", "build [s]", "solve [s]", "iterations", "objective", "miss [mm]", "left [J]")
    for intervals in (40, 100, 200, 400):
        dae = fb.assemble(models.subudhi_morris_2002())
        problem = optim.RestToRest(start=dict.fromkeys(GOAL, 0.0), goal=GOAL, duration=2.0, limits=LIMITS)
        started = time.perf_counter()
        model = optim.pyomo_model(dae, problem, intervals=intervals)
        built = time.perf_counter() - started
        plan = optim.solve(model)
        solved = time.perf_counter() - started - built
        replay = plan.replay()
        table.add_row(
            str(intervals),
            f"{built:.2f}",
            f"{solved:.2f}",
            str(plan.statistics.iterations),
            f"{plan.objective:.6f}",
            f"{1e3 * replay.tip_miss:.4f}",
            f"{replay.energy_left:.1e}",
        )
    Console(width=120, markup=False).print(table)


if __name__ == "__main__":
    main()
