"""Episodes of many runs: where each one is, its steps, and its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexblocks.learning.signals import Signals, stacked
from flexblocks.learning.task import Task
from flexblocks.simulation.stepping.arguments import parameter_rows, start_rows


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a step of some runs gives: rewards (runs,), and whether each ended, or was cut off after its duration."""

    rewards: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray


class Episodes:
    """The episodes of a task in many runs, each at a step of its own.

    Parameters
    ----------
    task : Task
    runs : int
    threads : int or None
        Of rollouts, by default the number of cores.
    """

    def __init__(self, task: Task, runs: int, threads: int | None) -> None:
        self.task, self._threads = task, threads
        dae = task.dae
        self._x, self._u = np.zeros((runs, len(dae.x))), np.zeros((runs, len(dae.u)))
        self._p, self._step = np.zeros((runs, len(dae.p))), np.zeros(runs, dtype=np.int64)

    def begin(self, runs: np.ndarray, generators: Sequence[np.random.Generator]) -> None:
        """Begin anew in some runs, with start states and parameters drawn by the generator of each."""
        task = self.task
        draws = len(task.start) + len(task.parameters)
        x, p = task.drawn(np.array([generator.random(draws) for generator in generators]).reshape(len(runs), draws))
        names = list(task.start)  # what is left out is free to move where loops are closed
        start = {name: x[:, task.dae.x.index(name)] for name in names}
        self._p[runs] = parameter_rows(task.dae, p, "Task")
        self._x[runs] = start_rows(task.dae, start or None, self._p[runs], "Task")
        self._u[runs], self._step[runs] = 0.0, 0

    def advance(self, runs: np.ndarray, actions: np.ndarray) -> Outcome:
        """Take a step of some runs with their actions (runs, na)."""
        task = self.task
        self._u[runs] = task.inputs(actions)
        x, p = self._x[runs], self._p[runs]
        after = task.stepper.advance(x, self._u[runs], p, threads=self._threads)
        with np.errstate(over="ignore", invalid="ignore"):
            lost = np.any(~np.isfinite(after.astype(np.float32)), axis=1)
        self._x[runs] = np.where(lost[:, None], x, after)
        self._step[runs] += 1
        signals = self._signals(runs)
        rewards = np.where(lost, task.lost, task.earned(signals))
        ended = lost | task.ended(signals)
        return Outcome(rewards, ended, ~ended & (self._step[runs] >= task.steps))

    def observations(self, runs: np.ndarray) -> np.ndarray:
        """Return what policies see in some runs (runs, observations)."""
        return stacked(self._signals(runs), tuple(self.task.observations or ()))

    def _signals(self, runs: np.ndarray) -> Signals:
        time = self._step[runs] * self.task.sample_time
        return Signals(self.task.dae, self._x[runs], self._u[runs], self._p[runs], time)
