"""Shortest time from rest to rest, by arm, torque limits and mesh: ``python -m benchmarks.minimum_time``.

Inputs start and end at zero and reach their full limit in 0.05 or 0.1 s. First as the solver leaves the plan, by Radau
collocation of degree 3; then refined until it replays. An independent script, on an arm whose rotors carry their
mount's spin, found 1.210 / 1.178 s with (1, 0.5) N m and 0.668 / 0.661 s with (4, 2) N m at 40 / 100 intervals, full in
0.05 s.
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
RAMPS = (0.05, 0.1)  # s from zero to the full limit


def problem(torques: tuple[float, float], ramp: float = 0.05) -> optim.RestToRest:
    limits = {f"motor{i}.torque": torque for i, torque in enumerate(torques, 1)}
    limits |= {f"der({name})": torque / ramp for name, torque in limits.items()}
    start = dict.fromkeys(GOAL, 0.0)
    return optim.RestToRest(start, GOAL, "free", objective="time", limits=limits, input_ends="holding")


def figures(plan: optim.Plan, took: float) -> list[str]:
    replay = plan.replay()
    return [
        f"{plan.duration:.4f}",
        " + ".join(str(attempt.iterations) for attempt in plan.attempts),
        f"{took:.1f}",
        f"{1e3 * replay.tip_miss:.4f}",
        f"{replay.energy_left:.1e}",
    ]


def main() -> None:
    mounts = sys.argv[1:] or ["relative", "carried"]
    console = Console(width=150)
    columns = "time [s]", "iterations", "took [s]", "miss [mm]", "left [J]"
    table = Table("rotors", "limits [N m]", "full in [s]", "refined", "status", "mesh", *columns)
    for mount in mounts:
        for torques in TORQUES:
            for ramp in RAMPS:
                for intervals, refine in ((40, False), (100, False), (40, True), (100, True)):
                    dae = fb.assemble(models.subudhi_morris_2002(rotor_mount=mount))
                    started = time.perf_counter()
                    plan = optim.plan(dae, problem(torques, ramp), intervals=intervals, refine=refine)
                    took, t = time.perf_counter() - started, plan.transcription
                    table.add_row(
                        mount,
                        f"{torques[0]:g}, {torques[1]:g}",
                        f"{ramp:g}",
                        f"from {intervals}" if refine else "",
                        plan.status,
                        f"{t.mesh.intervals} {t.scheme.name} {t.scheme.degree}",
                        *figures(plan, took),
                    )
    console.print(table)


if __name__ == "__main__":
    main()
