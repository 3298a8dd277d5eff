"""Motions for several loads or stiffnesses under the same inputs: ``python -m benchmarks.plan_scenarios``.

Arms of `benchmarks.real_plans`, from posture to posture, without a warm start. The table gives the iterations of each
solve, from the mean to all scenarios; the effort as a multiple of that of the mean alone; the energy left at the goal
as a share of the largest kinetic energy, 0 where rest is exact; and seconds of CPU.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
from rich.console import Console
from rich.table import Table

from flexblocks import optim
from flexblocks.optim.results.attempt import Attempt

from .real_plans.arms import ARMS

LINKS, BOOM, TENDONS = "two links (Subudhi & Morris)", "pump boom, cylinders", "tendon arm"
STIFFNESS, MASS = "spring1.stiffness", "payload.mass"
CASES = (
    *((LINKS, [{MASS: mass} for mass in masses]) for masses in ((0.1, 0.2), (0.1, 0.15, 0.2), (0.1, 0.2, 0.3))),
    (LINKS, [{MASS: mass} for mass in (0.1, 0.13, 0.16, 0.19, 0.22)]),
    *((LINKS, [{STIFFNESS: float(k)} for k in values]) for values in ((50, 100, 150), (50, 75, 100, 125, 150))),
    (LINKS, [{STIFFNESS: k, MASS: mass} for k, mass in product((80.0, 120.0), (0.1, 0.15))]),
    *((BOOM, [{"hose.mass": mass} for mass in np.linspace(60.0, 120.0, n).tolist()]) for n in (2, 3, 5)),
    *((TENDONS, [{"tool.mass": mass} for mass in np.linspace(2e-3, 4e-3, n).tolist()]) for n in (2, 3)),
    ("RRP (Theodore & Ghosal)", [{MASS: 0.05}, {MASS: 0.15}]),
    ("space arm, fixed", [{MASS: 1000.0}, {MASS: 2000.0}]),
)


def planned(name: str, scenarios: Sequence[Mapping[str, float]]) -> optim.Plan:
    """Plan the motion of an arm of `benchmarks.real_plans` from its start to its goal for these scenarios."""
    arm = ARMS[name]
    phases = (optim.Phase("move", arm.goal, arm.duration),)
    problem = optim.Problem(arm.start, phases, input_ends="holding", scenarios=scenarios)
    return optim.plan(arm.assembled(tuple(scenarios[0])), problem, intervals=arm.intervals, progress=False)


def iterations(attempts: Sequence[Attempt]) -> str:
    return " + ".join(str(each.iterations) for each in attempts)


def row(plan: optim.Plan) -> list[str]:
    kinetic = max(motion.energy[:, 0].max() for motion in plan.trajectories)
    leeway = plan.transcribed.problem.phases[0].leeway
    return [iterations(plan.attempts), f"{plan.objective / plan.attempts[0].objective:.3g}", f"{leeway / kinetic:.1g}"]


def main() -> None:
    table = Table("arm", "scenarios", "iterations", "effort / of the mean", "energy left", "CPU [s]")
    for name, scenarios in CASES:
        started = time.process_time()
        names = ", ".join(scenarios[0])
        values = ", ".join("/".join(f"{value:g}" for value in each.values()) for each in scenarios)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                cells = row(planned(name, scenarios))
        except optim.PlanError as error:
            attempts = [] if error.plan is None else error.plan.attempts
            cells = [iterations(attempts), "no motion found", ""]
        table.add_row(name, f"{names} = {values}", *cells, f"{time.process_time() - started:.1f}")
    Console(width=150).print(table)


if __name__ == "__main__":
    main()
