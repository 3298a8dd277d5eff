"""Chunking of a run, for Ctrl-C and the progress display; and its budget."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.errors import ParameterError
from flexblocks.progress import ProgressDisplay
from flexblocks.simulation.integrators.stepper import BudgetExceeded

CHUNK = 0.3  # approximate wall time of a chunk [s]: the delay of Ctrl-C and of the progress bar
INSTRUCTION = 2e-8  # approximate wall time of an instruction of the equations [s], as measured
MOST_STEPS = 5000  # of a chunk
FEWEST_STEPS = 3  # of a chunk: one that is as short as a step would cut all that follow to its own length
# Steps that any chunk may take: SUNDIALS takes some 100 from each start.
LEAST_STEPS = 500

# Steps of a run, unless the user allows more: 15 s of computing for a rotor (7 us a step), some minutes for a long arm.
# The two-link arm (3400 steps a second) moves for ten minutes in so many.
DEFAULT_STEPS = 2_000_000
BUDGET_ADVICE = (
    "If the motion needs more, raise max_steps= or time_limit=. If it makes hardly any progress, the equations are "
    "stiff or chatter: try method 'bdf', or 'implicit' for stiff arms and loops, with highest= [Hz] if faster "
    "vibrations do not matter; smooth a switching law (tanh(s / width) instead of sign(s)) or sample it, and check "
    "stiffnesses and gains."
)
# Wall time of a run [s] from which on methods that follow every vibration say what else there is.
LONG, HINT = 60.0, "; highest= [Hz] leaves out faster vibrations"


@dataclass(frozen=True)
class Budget:
    """Limits of a run: integration steps, and wall time [s] (None: no limit)."""

    max_steps: float = DEFAULT_STEPS
    time_limit: float | None = None


def checked_budget(max_steps: Any, time_limit: Any, where: str) -> Budget:
    """Return the budget of a run.

    Raises
    ------
    ParameterError
    """
    whole = isinstance(max_steps, (int, np.integer)) and not isinstance(max_steps, bool)
    if not (whole and max_steps > 0) and max_steps != float("inf"):
        raise ParameterError(f"{where}: max_steps = {max_steps!r}; must be a whole number > 0, or math.inf.")
    number = isinstance(time_limit, (int, float, np.number)) and not isinstance(time_limit, bool)
    if time_limit is not None and not (number and time_limit > 0):
        raise ParameterError(f"{where}: time_limit = {time_limit!r}; must be a number > 0 [s of wall time], or None.")
    return Budget(float(max_steps), None if time_limit is None else float(time_limit))


class Pace:
    """Length of the chunks of a run, each of as many steps as take a fraction of a second, and its progress.

    Every chunk restarts the method, which is cheap as long as chunks are long. They are measured in steps, not in wall
    time, so that a run gives the same digits whatever the load of the machine.

    Parameters
    ----------
    start, end : float
        Interval of the run [s].
    instructions : int
        Number of instructions of the equations in a step.
    step_time : float
        Wall time of a step besides [s].
    bar : ProgressDisplay, optional
        Progress bar, whose total is the length of the run [s].
    budget : Budget
        Limits on steps and wall time.
    follows_all : bool
        Whether the method follows every vibration.
    """

    def __init__(
        self,
        start: float,
        end: float,
        instructions: int,
        step_time: float,
        bar: ProgressDisplay | None = None,
        budget: Budget = Budget(),
        follows_all: bool = True,
    ) -> None:
        self.start, self.end, self.bar = start, end, bar
        self.steps = min(max(int(CHUNK / (step_time + INSTRUCTION * instructions)), FEWEST_STEPS), MOST_STEPS)
        self.most_steps = max(2 * self.steps, LEAST_STEPS)  # of a chunk, before it is cut into smaller ones
        self.length = (end - start) / 1e4  # a guess, until the first chunk has shown how many steps it takes
        self.budget, self.taken, self._whole = budget, 0, 0.0  # wall time of the whole run, about
        self._begun, self._long = time.perf_counter(), LONG if follows_all else np.inf

    def keep_budget(self) -> None:
        """Check the budget, between two chunks.

        Raises
        ------
        BudgetExceeded
        """
        most, limit = self.budget.max_steps, self.budget.time_limit
        wall = time.perf_counter() - self._begun
        if self.taken < most and (limit is None or wall < limit):
            return
        which = f"max_steps = {most:.0f}" if self.taken >= most else f"time_limit = {limit:g} s"
        failure = BudgetExceeded(f"its budget is spent, {self.taken} steps in {wall:.3g} s ({which})")
        failure.advice = f"{BUDGET_ADVICE}{self._outlook}"
        raise failure

    def done(self, before: float, now: float, steps: int) -> None:
        """Record that the run went from `before` to `now` [s] in `steps` steps, and update length and progress."""
        self.taken += steps
        # At most 50 times as long as the last chunk, whose steps may have been a start-up phase.
        self.length = min(self.steps / max(steps, 1), 50.0) * (now - before)
        self._whole = (time.perf_counter() - self._begun) * (self.end - self.start) / (now - self.start)
        if self.bar is not None:
            self.bar.update(f"t = {now:.4g} s{HINT * int(self._whole > self._long)}", now - self.start, self._whole)

    @property
    def _outlook(self) -> str:
        """What the whole run would take, where it follows every vibration for long."""
        if self._whole <= self._long:
            return ""
        return (
            f" At this pace it takes about {self._whole:.2g} s, as every vibration is followed; highest= [Hz] leaves "
            "out those that are faster, and takes as many steps as the motion needs."
        )
