"""Shortest time from rest to rest, by arm, torque limits and mesh: ``python -m benchmarks.minimum_time [--refine]``.

Inputs start and end at zero and reach their full limit in 0.05 s. An independent script, on an arm whose rotors carry
their mount's spin, found 1.210 / 1.178 s with (1, 0.5) N m and 0.668 / 0.661 s with (4, 2) N m at 40 / 100 intervals.
"""

from __future__ import annotations

import math
import sys
import time

from rich.console import Console
from rich.table import Table

import flexblocks as fb
from flexblocks import models, optim

GOAL = {"joint1.angle": math.pi / 2, "joint2.angle": math.pi / 6}
TORQUES = ((1.0, 0.5), (4.0, 2.0))
FULL = 0.05  # s from zero to the full limit


def problem(torques: tuple[float, float]) -> optim.RestToRest:
    limits = {f"motor{i}.torque": torque for i, torque in enumerate(torques, 1)}
    limits |= {f"der({name})": torque / FULL for name, torque in limits.items()}
    start = dict.fromkeys(GOAL, 0.0)
    return optim.RestToRest(start, GOAL, "free", objective="time", limits=limits, input_ends="holding")


def main() -> None:
    refine = "--refine" in sys.argv[1:]
    console = Console(width=140)
    table = Table(
        "rotors", "limits [N m]", "intervals", "time [s]", "status", "iterations", "took [s]", "miss [mm]", "left [J]"
    )
    for mount in ("relative", "carried"):
        for torques in TORQUES:
            for intervals in (40,) if refine else (40, 100):
                dae = fb.assemble(models.subudhi_morris_2002(rotor_mount=mount))
                started = time.perf_counter()
                plan = optim.plan(dae, problem(torques), intervals=intervals, refine=refine)
                took = time.perf_counter() - started
                replay = plan.replay()
                table.add_row(
                    mount,
                    f"{torques[0]:g}, {torques[1]:g}",
                    str(plan.transcription.mesh.intervals),
                    f"{plan.duration:.4f}",
                    plan.status,
                    " + ".join(str(attempt.iterations) for attempt in plan.attempts),
                    f"{took:.1f}",
                    f"{1e3 * replay.tip_miss:.4f}",
                    f"{replay.energy_left:.1e}",
                )
    console.print(table)


if __name__ == "__main__":
    main()
