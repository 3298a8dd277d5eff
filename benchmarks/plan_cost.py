"""Cost of one iteration of a plan, by states and by intervals: ``python -m benchmarks.plan_cost``.

Arms of 2, 4 and 6 joints about alternating axes, each behind a rotor and a spring; from 32 states on the two booms
bend. Rest to rest in 2 s. CPU times, split into what is done once (model: the arm's equations, the derivatives of an
interval, start and goal, the Pyomo model; program: the solver's functions) and what each iteration does (functions and
their derivatives, the linear solver MUMPS, the rest of IPOPT). At the end plans of 32 states and 40 intervals run until
they converge, for three goals; with ``cold`` only these. Many optima lie close together in that problem, so that
its iterations depend on rounding.

![CPU time of an iteration over states and over intervals](../pictures/plan_cost.png)
"""

from __future__ import annotations

import io
import re
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyomo.environ as pyo
from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from flexblocks import optim
from flexblocks.optim.casadi_solver import CasadiSolver
from flexblocks.optim.model.trajectories import transcribed_problem
from flexblocks.optim.strategy.start_options import from_guess

PICTURE = Path("docs", "pictures", "plan_cost.png")
ITERATIONS = 12
AXES = ((0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0))
GOAL = (0.6, -0.4, 0.5, 0.3, -0.4, 0.3)  # [rad]
OTHER_GOALS = (1.0, 0.3, -0.6, 0.5, 0.2, -0.4), (-0.8, 0.5, 0.9, -0.3, 0.6, 0.2)  # for plans to their end
# States: number of joints, of modes of each boom in each plane, and whether it twists, too, in as many modes.
SIZES = {
    8: (2, 0, False), 16: (4, 0, False), 24: (6, 0, False), 32: (6, 1, False), 40: (6, 2, False), 60: (6, 3, True),
}  # fmt: skip
INTERVALS = (10, 20, 40, 80)
USUAL = 32, 40
ONCE = ("model", "program")
EACH = ("functions and derivatives", "linear solver", "rest")
# Their names in IPOPT's timing statistics.
FUNCTIONS, LINEAR = "Function Evaluations", "StdAugSystemSolverMultiSolve"


def arm(joints: int, modes: int, twists: bool) -> fb.Model:
    """A spatial arm with a spring in each joint; links 2 and 3 are booms with so many modes."""
    model = fb.Model("arm", gravity=(0.0, 0.0, -9.81))
    place = model.add(fb.Ground("ground")).frame_b
    for i, axis in enumerate(AXES[:joints], 1):
        motor, rotor = model.add(fb.TorqueSource(f"motor{i}")), model.add(fb.Rotor(f"rotor{i}", inertia=0.5))
        spring = model.add(fb.TorsionalSpring(f"spring{i}", stiffness=4e4, damping=40.0))
        joint = model.add(fb.Revolute(f"joint{i}", axis=axis))
        model.connect(motor.flange_b, rotor.flange_a)
        model.connect(rotor.flange_b, spring.flange_a)
        model.connect(spring.flange_b, joint.axis)
        model.connect(place, joint.frame_a)
        place = joint.frame_b
        body: Any = fb.RigidLink(f"link{i}", length=0.2, mass=2.0, inertia=np.diag([4e-3, 8e-3, 8e-3]))
        if i in (2, 3) and modes:
            body = fb.FlexibleBeam(
                f"link{i}", 1.2, 4.0, 2e4, discretization=fb.AssumedModes(modes, tip="free"),
                bending="yz", torsion=twists,
                torsional_rigidity=2e4 if twists else None, polar_inertia=1e-2 if twists else None,
            )  # fmt: skip
        model.connect(place, model.add(body).frame_a)
        place = body.frame_b
    model.connect(place, model.add(fb.Payload("payload", mass=3.0, inertia=0.02 * np.eye(3))).frame_a)
    return model


def task(joints: int, angles: tuple[float, ...] = GOAL) -> optim.RestToRest:
    goal = {f"joint{i}.angle": angle for i, angle in enumerate(angles[:joints], 1)}
    return optim.RestToRest(start=dict.fromkeys(goal, 0.0), goal=goal, duration=2.0)


@dataclass(frozen=True)
class Cost:
    """CPU times of a plan.

    Attributes
    ----------
    states, intervals, variables, iterations : int
    once, each : dict of float
        [s] before the first iteration, and in each of them.
    wall : float
        [s] of all of it on the clock: functions of much work are evaluated in as many threads as there are cores.
    objective : float
    status : str
        IPOPT's.
    """

    states: int
    intervals: int
    variables: int
    iterations: int
    once: dict[str, float]
    each: dict[str, float]
    wall: float
    objective: float
    status: str

    @property
    def total(self) -> float:
        return sum(self.once.values()) + self.iterations * sum(self.each.values())


def measured(
    states: int, intervals: int, iterations: int | None = ITERATIONS, angles: tuple[float, ...] = GOAL
) -> Cost:
    """Return the costs of the first iterations of a plan without a warm start, or of all (None)."""
    size = SIZES[states]
    clock, began = [time.process_time()], time.perf_counter()
    dae = fb.assemble(arm(*size))
    assert len(dae.x) == states
    model = optim.pyomo_model(dae, task(size[0], angles), intervals=intervals)
    clock.append(time.process_time())
    log = io.StringIO()
    result: Any = CasadiSolver().solve(
        model,
        tee=log,
        iteration_limit=iterations,
        # As `optim.plan` begins
        solver_options={"print_timing_statistics": "yes"} | from_guess(transcribed_problem(model)),
        raise_exception_on_nonoptimal_result=False,
    )
    clock.append(time.process_time())
    text, taken = log.getvalue(), max(result.extra_info.iteration_count, 1)
    total, functions, linear = (_seconds(text, name) for name in ("OverallAlgorithm", FUNCTIONS, LINEAR))
    spent = dict(zip(EACH, (functions, linear, total - functions - linear), strict=True))
    return Cost(
        states=states,
        intervals=intervals,
        variables=sum(1 for var in model.component_data_objects(pyo.Var) if not var.fixed),
        iterations=taken,
        once=dict(zip(ONCE, (clock[1] - clock[0], clock[2] - clock[1] - total), strict=True)),
        each={name: seconds / taken for name, seconds in spent.items()},
        wall=time.perf_counter() - began,
        objective=float(pyo.value(model.objective)),
        status=result.extra_info.return_status,
    )


def _seconds(log: str, name: str) -> float:
    """Return the CPU time [s] of a part in IPOPT's timing statistics."""
    line = re.search(rf"{re.escape(name)}\.*:\s*([\d.]+) \(sys:\s*([\d.]+)", log)
    assert line, f"IPOPT's log has no time of '{name}'."
    return float(line[1]) + float(line[2])


def table(costs: list[Cost]) -> Table:
    heads = [f"{name} [s]" for name in ONCE] + [f"{name} [ms]" for name in EACH]
    cells = Table("states", "intervals", "variables", "iterations", *heads, "total [s]", title="CPU times of a plan")
    for cost in costs:
        once = [f"{seconds:.2f}" for seconds in cost.once.values()]
        each = [f"{1e3 * seconds:.1f}" for seconds in cost.each.values()]
        sizes = [str(n) for n in (cost.states, cost.intervals, cost.variables, cost.iterations)]
        cells.add_row(*sizes, *once, *each, f"{cost.total:.1f}")
    return cells


def cold(console: Console) -> None:
    """Plan with 32 states and 40 intervals to the end, to three goals: the count of one depends on rounding."""
    costs = [measured(*USUAL, iterations=None, angles=angles) for angles in (GOAL, *OTHER_GOALS)]
    console.print(table(costs))
    for cost in costs:
        console.print(
            f"{cost.status}: {cost.iterations} iterations, {cost.total:.1f} s of CPU, {cost.wall:.1f} s on the clock, "
            f"objective {cost.objective:.0f}"
        )


def draw(by_states: list[Cost], by_intervals: list[Cost]) -> None:
    """Draw what an iteration takes over states and over intervals, part by part, on logarithmic axes."""
    figure = Figure(figsize=(10, 4.5), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for axes, costs, name in zip(panels, (by_states, by_intervals), ("states", "intervals"), strict=True):
        places = [getattr(cost, name) for cost in costs]
        for color, part in zip(("C0", "C1", "0.6"), EACH, strict=True):
            axes.loglog(places, [1e3 * cost.each[part] for cost in costs], "o-", color=color, label=part)
        once = [1e3 * sum(cost.once.values()) for cost in costs]
        axes.loglog(places, once, "k--", linewidth=1, label="once, before the first")
        axes.set_xticks(places, [str(place) for place in places])
        axes.set_xticks([], minor=True)
        other = f"{USUAL[1]} intervals" if name == "states" else f"{USUAL[0]} states"
        axes.set_xlabel(f"{name} ({other})")
        axes.grid(visible=True, which="major", alpha=0.3)
    panels[0].set_ylabel("CPU time of an iteration [ms]")
    panels[0].legend(loc="upper left")
    figure.suptitle("What an iteration of a plan costs")
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, dpi=110)


def main() -> None:
    warnings.simplefilter("ignore", fb.FlexblocksWarning)
    console = Console(width=140, markup=False)
    if "cold" in sys.argv:
        cold(console)
        return
    by_states = [measured(states, USUAL[1]) for states in SIZES]
    usual = next(cost for cost in by_states if cost.states == USUAL[0])
    by_intervals = [usual if n == USUAL[1] else measured(USUAL[0], n) for n in INTERVALS]
    costs = [*by_states, *(cost for cost in by_intervals if cost is not usual)]
    console.print(table(costs))
    draw(by_states, by_intervals)
    console.print(f"Drawn in {PICTURE}")
    cold(console)


if __name__ == "__main__":
    main()
