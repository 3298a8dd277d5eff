"""One arm and one task: whether the plan comes out, in how many iterations and seconds of CPU."""

from __future__ import annotations

import logging
import time
import warnings
from dataclasses import dataclass

import flexblocks as fb
from benchmarks.real_plans.arms import ARMS
from benchmarks.real_plans.tasks import TASKS
from flexblocks import optim

MOST_ITERATIONS = 150
MOST_SECONDS = 60.0  # of CPU


@dataclass(frozen=True)
class Row:
    """What came of an arm and a task."""

    arm: str
    task: str
    states: int
    status: str
    iterations: int
    seconds: float
    replayed: str = ""

    @property
    def counts(self) -> bool:
        """Whether the plan is one."""
        in_time = self.iterations <= MOST_ITERATIONS and self.seconds <= MOST_SECONDS
        return self.status in ("converged", "optimal") and in_time and "misses" not in self.replayed


def case(arm_name: str, task_name: str, limit: float, replays: bool) -> Row | None:
    """Plan one task of one arm; None where the arm cannot be asked it."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    arm = ARMS[arm_name]
    began = time.process_time()
    iterations, states, replayed = 0, 0, ""
    try:
        task = TASKS[task_name](arm)
        if task is None:
            return None
        dae = arm.assembled(task.symbolic)
        states, began = len(dae.x), time.process_time()
        plan = optim.plan(dae, task.problem, intervals=arm.intervals, time_limit=limit)
        status, iterations = plan.status, sum(attempt.iterations for attempt in plan.attempts)
        seconds = time.process_time() - began
        if replays and status == "converged":
            replayed = _refined(dae, task.problem, arm.intervals, limit)
    except optim.PlanError as error:
        status, seconds = "failed: " + str(error).split(". ")[0][:120], time.process_time() - began
        iterations = sum(attempt.iterations for attempt in error.plan.attempts) if error.plan else 0
    except fb.FlexblocksError as error:
        status, seconds = "refused: " + str(error)[:160], time.process_time() - began
    return Row(arm_name, task_name, states, status, iterations, seconds, replayed)


def _refined(dae: fb.DAE, problem: optim.Problem, intervals: int, limit: float) -> str:
    """Return the mesh and the miss of the refined plan, or how it does not come to an end."""
    plan = optim.plan(dae, problem, intervals=intervals, refine=True, time_limit=3 * limit)
    mesh = plan.transcription.mesh.intervals
    if plan.status == "optimal":
        return f"{mesh} intervals"
    return f"misses: {plan.status} at {mesh} intervals"
