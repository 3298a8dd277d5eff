"""One arm and one task: whether the plan comes out, in how many iterations and seconds of CPU."""

from __future__ import annotations

import logging
import math
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

import flexblocks as fb
from benchmarks.real_plans.arms import ARMS, Arm
from benchmarks.real_plans.random_arm import random_arm
from benchmarks.real_plans.random_boom import random_boom
from benchmarks.real_plans.tasks import EVERY
from flexblocks import optim
from flexblocks.optim.strategy.refinement.mesh_refinement import refine_mesh
from flexblocks.optim.strategy.settings import SETTINGS
from flexblocks.optim.verification.criteria import Criteria, allowed

MOST_ITERATIONS = 150
MOST_SECONDS = 60.0  # of CPU
REFINEMENT = 4  # times the CPU time of a plan; Ctrl-C comes after half as much again
NOT_ASKED = "no such task"
REFUSED = "refused: "
RANDOM: dict[str, Callable[[int], Arm]] = {
    "random": random_arm,
    "floating": partial(random_arm, floats=True),
    "boom": random_boom,
}  # each of a seed


@dataclass(frozen=True)
class Row:
    """What came of an arm and a task.

    Attributes
    ----------
    arm, task : str
    states : int
    status : str
        Of the plan, or how it failed; NOT_ASKED where the arm has no such task.
    iterations : int
    cpu : float
        Time of the plan [s].
    replayed : str
        Intervals of the refined plan and CPU time of its refinement, or how it misses.
    miss : float
        What the refined plan's replay misses by or leaves of energy, relative to the criterion; nan if not refined.
    """

    arm: str
    task: str
    states: int
    status: str
    iterations: int
    cpu: float
    replayed: str = ""
    miss: float = math.nan

    def __str__(self) -> str:
        return f"{self.arm}, {self.task}: {self.status}, {self.iterations}, {self.cpu:.1f} s {self.replayed}"

    @property
    def was_asked(self) -> bool:
        """Whether there is such a task for the arm."""
        return self.status != NOT_ASKED

    @property
    def was_refused(self) -> bool:
        """Whether the task is refused as impossible, before anything is solved."""
        return self.status.startswith(REFUSED)

    @property
    def counts(self) -> bool:
        """Whether the plan is one; one that its mesh does not resolve is none unless it is refined."""
        in_time = self.iterations <= MOST_ITERATIONS and self.cpu <= MOST_SECONDS
        return self.status in ("converged", "optimal") and in_time and "misses" not in self.replayed

    @property
    def reason(self) -> str:
        """Why it does not count."""
        if math.isnan(self.cpu) or self.was_refused:
            return self.status
        if self.status not in ("converged", "optimal"):
            return f"{self.status}, after {self.iterations} iterations and {self.cpu:.0f} s"
        if "misses" in self.replayed:
            times = f", by {self.miss:.3g} times what is allowed" if self.miss == self.miss else ""
            return self.replayed.replace("misses:", f"its replay misses{times}:")
        return f"converges, but takes {self.iterations} iterations and {self.cpu:.0f} s"


def case(arm_name: str, task_name: str, limit: float, replays: bool) -> Row:
    """Plan one task of one arm."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    arm = named_arm(arm_name)
    began = time.process_time()
    iterations, states, replayed, miss = 0, 0, "", math.nan
    try:
        task = EVERY[task_name](arm)
        if task is None:
            return Row(arm_name, task_name, 0, NOT_ASKED, 0, 0.0)
        dae = arm.assembled(task.symbolic)
        states, began = len(dae.x), time.process_time()
        with _within(limit):
            plan = optim.plan(dae, task.problem, intervals=arm.intervals, progress=False)
        status, iterations = plan.status, sum(attempt.iterations for attempt in plan.attempts)
        cpu = time.process_time() - began
        if replays and status in ("converged", "unresolved"):
            replayed, miss = _refined(plan, limit)
            status = status if replayed.startswith("misses") else "optimal"
    except optim.PlanError as error:
        status, cpu = "failed: " + str(error).split(". ")[0][:120], time.process_time() - began
        iterations = sum(attempt.iterations for attempt in error.plan.attempts) if error.plan else 0
    except KeyboardInterrupt:
        status, cpu = f"failed: not within {limit:g} s of CPU", time.process_time() - began
    except fb.FlexblocksError as error:
        status, cpu = REFUSED + str(error).split(". ")[0], time.process_time() - began
    return Row(arm_name, task_name, states, status, iterations, cpu, replayed, miss)


def _refined(plan: optim.Plan, limit: float) -> tuple[str, float]:
    """Return the mesh of the refined plan or how it does not come to an end, and its miss relative to the criterion."""
    settings = replace(SETTINGS, refinement_time=REFINEMENT * limit)
    began = time.process_time()
    try:
        with _within(1.5 * REFINEMENT * limit):
            plan = refine_mesh(plan, Criteria(), settings=settings)
    except (KeyboardInterrupt, optim.PlanError):  # a solve that is interrupted ends in a PlanError
        return f"misses: not refined within {1.5 * REFINEMENT * limit:g} s of CPU", math.nan
    cpu = time.process_time() - began
    most = allowed(Criteria(), plan.transcribed.dae, plan.trajectories)
    leeway = max(phase.leeway for phase in plan.transcribed.problem.phases)
    replayed = [attempt for attempt in plan.attempts if attempt.tip_miss is not None]
    shares = [
        max(attempt.tip_miss / most.miss, abs(attempt.energy_left or 0.0) / (most.energy + leeway))
        for attempt in replayed
    ]
    count, scheme = sum(plan.transcribed.intervals), plan.transcribed.first[0].scheme
    mesh = f"{count}" + (f" {scheme.words} {scheme.degree}" if scheme.is_symmetric else "")
    if plan.status == "optimal":
        return f"{mesh}, {cpu:.0f} s", shares[-1]
    text = f"misses: {plan.status} at {mesh} intervals after {cpu:.0f} s"
    if shares and min(shares) >= 1:
        return text, min(shares)
    # It arrives, or was not worth a replay: what stands in the way is on the way.
    beyond = plan.replay().excesses if shares else ()
    return f"{text}; {'beyond its limits: ' + str(beyond[0]) if beyond else plan.mesh_errors}", math.nan


def named_arm(name: str) -> Arm:
    """Return an arm of the table, or the random one of a seed: "random 17", "floating 17", "boom 17"."""
    kind, _, seed = name.partition(" ")
    return RANDOM[kind](int(seed)) if kind in RANDOM else ARMS[name]


@contextmanager
def _within(limit: float) -> Iterator[None]:
    """End what runs as Ctrl-C does, after seconds of CPU: those of the wall count what else a machine does."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGPROF, lambda *_: signal.raise_signal(signal.SIGINT))
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGINT, before)
