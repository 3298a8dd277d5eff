"""Shortest time from rest to rest, by arm, torque limits and mesh: ``python -m benchmarks.minimum_time [PART]``.

The two-link arm of Subudhi & Morris (2002) from (0, 0) to (pi/2, pi/6). Inputs start and end at zero and reach their
full limit in 0.05 or 0.1 s. Each plan as the solver leaves it, by Radau collocation of degree 3, and refined until it
replays. An independent script, on an arm whose rotors carry their mount's spin, found 1.210 / 1.178 s with (1, 0.5) N m
and 0.668 / 0.661 s with (4, 2) N m at 40 / 100 intervals, full in 0.05 s. At (4, 2) N m these arms bend by more than
half a link, far beyond small deflections; one row limits deflections to 0.1 m.

* `relative`, `carried`: rotors of that arm alone; both if no part is named.
* `bent`: (4, 2) N m with linear beams and with beams that bend far, refined, and each plan audited on the other's beams
  and on finer ones.
* `random`: between 100 random pairs of start and goal, each angle within a quarter turn, at (1, 0.5) N m and 40
  intervals.
"""

from __future__ import annotations

import math
import sys
import time
from collections import Counter
from dataclasses import replace

import numpy as np
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from flexblocks import models, optim

GOAL = {"joint1.angle": math.pi / 2, "joint2.angle": math.pi / 6}
TORQUES = ((1.0, 0.5), (4.0, 2.0))
RAMPS = (0.05, 0.1)  # s from zero to the full limit
DEFLECTIONS = tuple(f"link{i}.tip_deflection_y" for i in (1, 2))
STRAIGHT = 0.1  # m of deflection, a fifth of a link
PAIRS, SEED = 100, 0


def problem(torques: tuple[float, float], ramp: float = 0.05, deflection: float | None = None) -> optim.RestToRest:
    limits = {f"motor{i}.torque": torque for i, torque in enumerate(torques, 1)}
    limits |= {f"der({name})": torque / ramp for name, torque in limits.items()}
    limits |= dict.fromkeys(DEFLECTIONS, deflection) if deflection else {}
    start = dict.fromkeys(GOAL, 0.0)
    return optim.RestToRest(start, GOAL, "free", objective="time", limits=limits, input_ends="holding")


def figures(plan: optim.Plan, took: float) -> list[str]:
    replay = plan.replay()
    t = plan.transcription
    bent = max(float(np.abs(plan.trajectory[name]).max()) for name in DEFLECTIONS)
    return [
        plan.status,
        f"{t.mesh.intervals} {t.scheme.name} {t.scheme.degree}",
        f"{plan.duration:.4f}",
        " + ".join(str(attempt.iterations) for attempt in plan.attempts),
        f"{took:.1f}",
        f"{1e3 * replay.tip_miss:.4f}",
        f"{replay.energy_left:.1e}",
        f"{bent:.2f}",
    ]


def quarter_turns(mounts: list[str], console: Console) -> None:
    columns = "status", "mesh", "time [s]", "iterations", "took [s]", "miss [mm]", "left [J]", "bends [m]"
    table = Table("rotors", "limits [N m]", "full in [s]", "deflection", "refined", *columns)
    for mount in mounts:
        cases = [
            (torques, ramp, None, intervals, refine)
            for torques in TORQUES
            for ramp in (RAMPS if mount == "relative" else RAMPS[:1])
            for refine in (False, True)
            for intervals in (40, 100)
            # Without a limit on its deflection this arm has no motion to settle on.
            if not (refine and mount == "carried" and torques == TORQUES[1])
        ]
        cases += [(TORQUES[1], RAMPS[0], STRAIGHT, 40, True)]
        for torques, ramp, deflection, intervals, refine in cases:
            dae = fb.assemble(models.subudhi_morris_2002(rotor_mount=mount))
            started = time.perf_counter()
            plan = optim.plan(dae, problem(torques, ramp, deflection), intervals=intervals, refine=refine)
            took = time.perf_counter() - started
            table.add_row(
                mount,
                f"{torques[0]:g}, {torques[1]:g}",
                f"{ramp:g}",
                f"{deflection:g} m" if deflection else "",
                f"from {intervals}" if refine else "",
                *figures(plan, took),
            )
    console.print(table)


def random_pairs(console: Console) -> None:
    """Plan between random postures, every angle within a quarter turn, from the default start until it replays."""
    dae = fb.assemble(models.subudhi_morris_2002())
    turn, rng, plans = problem(TORQUES[0]), np.random.default_rng(SEED), []
    started = time.perf_counter()
    for start, goal in rng.uniform(-math.pi / 2, math.pi / 2, (PAIRS, 2, 2)).tolist():
        ends = {"start": dict(zip(GOAL, start, strict=True)), "goal": dict(zip(GOAL, goal, strict=True))}
        try:
            plans.append(optim.plan(dae, replace(turn, **ends), intervals=40, refine=True))
        except optim.PlanError as error:
            console.print(f"{ends}: {error}")
    took = (time.perf_counter() - started) / PAIRS
    first = [next(a for a in plan.attempts if a.tip_miss is not None) for plan in plans]
    near = [a for a in first if a.tip_miss < 1e-4]
    calm = [a for a in near if abs(a.energy_left) < 1e-4]
    settled = [plan for plan in plans if plan.status == "optimal"]
    ways = Counter(f"{plan.transcription.scheme.name} {plan.transcription.mesh.intervals}" for plan in settled)
    replays = [plan.replay() for plan in settled]
    missed, left = max(replay.tip_miss for replay in replays), max(replay.energy_left for replay in replays)
    console.print(
        f"{PAIRS} pairs, {took:.1f} s each: {len(plans)} converge, of which {len(near)} miss by less than 0.1 mm, "
        f"{len(calm)} of these leaving less than 1e-4 J. Refined, {len(settled)} do both "
        f"({', '.join(f'{n} by {way}' for way, n in ways.items())}), missing by {1e3 * missed:.3f} mm at most, with "
        f"{left:.1e} J left."
    )


def bent(console: Console) -> None:
    """Plan at (4, 2) N m with beams of both kinds, refined, and audit the plans on each other's and on finer beams."""
    linear = fb.assemble(models.subudhi_morris_2002())
    far = {n: fb.assemble(fb.rediscretize(models.subudhi_morris_2002(), fb.StrainModes(n))) for n in (2, 3, 4, 5)}
    for dae, others in ((linear, (far[3],)), (far[2], (linear, far[4])), (far[3], (far[5],))):
        started = time.process_time()
        plan = optim.plan(dae, problem(TORQUES[1]), intervals=40, refine=True)
        console.print(*figures(plan, time.process_time() - started))
        for other in others:
            console.print(str(plan.audit(other)))


def main() -> None:
    console = Console(width=170)
    if sys.argv[1:] == ["random"]:
        random_pairs(console)
    elif sys.argv[1:] == ["bent"]:
        bent(console)
    else:
        quarter_turns(sys.argv[1:] or ["relative", "carried"], console)


if __name__ == "__main__":
    main()
