"""Least effort from rest to rest, by mesh: ``python -m benchmarks.planning``.

The two-link arm of Subudhi & Morris (2002) with elastic joints, from (0, 0) to (pi/2, pi/6) in 2 s. First with free
ends; then from and to holding inputs with the dynamics of all modes, and with those modes treated quasi-statically that
the mesh does not resolve. Times to build and to solve are on the clock. The last two columns are what an independent
simulation of the planned inputs gives: the distance of the tip from its goal, and the energy left.
"""

from __future__ import annotations

import math
import time
from typing import Any

from rich.console import Console
from rich.table import Table

import flexblocks as fb
from flexblocks import models, optim

GOAL = {"joint1.angle": math.pi / 2, "joint2.angle": math.pi / 6}
LIMITS = {"motor1.torque": 4.0, "motor2.torque": 2.0}
MESHES = (40, 100, 200, 400)


def row(intervals: int, ends: str, quasi_static: Any = None) -> list[str]:
    dae = fb.assemble(models.subudhi_morris_2002())
    start = dict.fromkeys(GOAL, 0.0)
    problem = optim.RestToRest(start=start, goal=GOAL, duration=2.0, limits=LIMITS, input_ends=ends)
    started = time.perf_counter()
    model = optim.pyomo_model(dae, problem, intervals=intervals, quasi_static=quasi_static)
    built = time.perf_counter() - started
    plan = optim.solve(model)
    solved = time.perf_counter() - started - built
    replay = plan.replay()
    return [
        ends,
        str(len(plan.transcription.static) or ""),
        str(intervals),
        f"{built:.2f}",
        f"{solved:.2f}",
        str(plan.statistics.iterations),
        f"{plan.objective:.6f}",
        f"{1e3 * replay.tip_miss:.4f}",
        f"{replay.energy_left:.1e}",
    ]


def main() -> None:
    columns = "build [s]", "solve [s]", "iterations", "objective", "miss [mm]", "left [J]"
    table = Table("ends", "modes carried quasi-statically", "intervals", *columns)
    for ends, quasi_static in (("free", None), ("holding", None), ("holding", "auto")):
        for intervals in MESHES:
            table.add_row(*row(intervals, ends, quasi_static))
    Console(width=140, markup=False).print(table)


if __name__ == "__main__":
    main()
