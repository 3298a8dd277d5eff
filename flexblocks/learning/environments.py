"""Environments of Gymnasium; nothing else imports it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from flexblocks.errors import ComputationError, ParameterError
from flexblocks.learning.episodes import Episodes
from flexblocks.learning.task import Task


class ArmEnv(gym.Env[np.ndarray, np.ndarray]):
    """One arm as an environment of Gymnasium.

    Actions are the inputs of the task in their units, within their limits; observations its signals, in SI units and
    radians. Both are numbers of single precision, as usual; states and rewards have full precision.

    Parameters
    ----------
    task : Task

    Examples
    --------
    >>> import flexblocks as fb
    >>> from flexblocks import learning, models
    >>> dae = fb.assemble(models.subudhi_morris_2002(links=1, modes=1))
    >>> task = learning.Task(
    ...     dae, lambda now: -now["joint1.angle"] ** 2, actions={"motor1.torque": 0.5}, sample_time=0.02, duration=1.0,
    ...     start={"joint1.angle": (-0.5, 0.5)}, substeps=5,
    ... )
    >>> env = learning.ArmEnv(task)
    >>> observation, _ = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
    >>> bool(reward < 0)
    True
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}  # type: ignore[misc]

    def __init__(self, task: Task) -> None:
        self.task = task
        self.observation_space, self.action_space = _spaces(task)
        self._episodes, self._all = Episodes(task, 1, threads=1), np.arange(1)
        self._runs = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode with start state and parameters of its own; return the first observation.

        Parameters
        ----------
        seed : int, optional
            Of what is drawn from now on.
        options : dict, optional
            There are none.
        """
        super().reset(seed=seed)
        _refuse_options(options)
        self._episodes.begin(self._all, [self.np_random])
        self._runs = True
        return self._observed(), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Return observation, reward, whether the episode has ended, whether it is cut off, after one action (na,).

        Raises
        ------
        ComputationError
            The episode has ended, or none has begun: call `reset`.
        """
        if not self._runs:
            raise ComputationError("ArmEnv.step: no episode runs; call reset() first.")
        made = self._episodes.advance(self._all, _actions(action, self.action_space))
        self._runs = not (made.terminated[0] or made.truncated[0])
        return self._observed(), float(made.rewards[0]), bool(made.terminated[0]), bool(made.truncated[0]), {}

    def _observed(self) -> np.ndarray:
        return self._episodes.observations(self._all)[0].astype(np.float32)


class ArmVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """Many arms as a vector environment of Gymnasium, whose steps are rollouts in threads.

    Run i of ``reset(seed=s)`` is that of an `ArmEnv` with ``reset(seed=s + i)``, for any number of threads. A run
    whose episode is over begins anew at the next step (``AutoresetMode.NEXT_STEP``), whose action it leaves out.

    Parameters
    ----------
    task : Task
    num_envs : int
        How many.
    threads : int, optional
        By default the number of cores.

    Raises
    ------
    ParameterError
        A number of runs that is not >= 1.
    """

    def __init__(self, task: Task, num_envs: int, *, threads: int | None = None) -> None:
        if isinstance(num_envs, bool) or not isinstance(num_envs, int) or num_envs < 1:
            raise ParameterError(f"ArmVectorEnv: num_envs = {num_envs!r}; must be a whole number >= 1.")
        self.task, self.num_envs = task, num_envs
        self.metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}
        self.single_observation_space, self.single_action_space = _spaces(task)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._episodes, self._all = Episodes(task, num_envs, threads), np.arange(num_envs)
        self._generators: list[np.random.Generator] = []
        self._over = np.zeros(num_envs, dtype=bool)

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode in each run; return the first observations (num_envs, observations).

        Parameters
        ----------
        seed : int or sequence of int, optional
            Of the first run; the next ones have the next numbers. Or a number for each run: those of one number begin
            alike.
        options : dict, optional
            There are none.
        """
        _refuse_options(options)
        if isinstance(seed, (int, np.integer)):
            super().reset(seed=int(seed))
            seed = [int(seed) + i for i in range(self.num_envs)]
        if seed is not None:
            if len(seed) != self.num_envs:
                raise ParameterError(f"reset: {len(seed)} seeds for {self.num_envs} runs; must be one for each.")
            self._generators = [seeding.np_random(int(one))[0] for one in seed]
        elif not self._generators:
            self._generators = [*self.np_random.spawn(self.num_envs)]
        self._episodes.begin(self._all, self._generators)
        self._over[:] = False
        return self._observed(), {}

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Return observations, rewards, whether episodes have ended or are cut off, after actions (num_envs, na).

        Raises
        ------
        ComputationError
            No episode has begun: call `reset`.
        """
        if not self._generators:
            raise ComputationError("ArmVectorEnv.step: no episode runs; call reset() first.")
        given = _actions(actions, self.action_space)
        rewards = np.zeros(self.num_envs)
        terminated, truncated = np.zeros((2, self.num_envs), dtype=bool)
        anew, on = np.flatnonzero(self._over), np.flatnonzero(~self._over)
        if len(anew):
            self._episodes.begin(anew, [self._generators[i] for i in anew])
        if len(on):
            made = self._episodes.advance(on, given[on])
            rewards[on], terminated[on], truncated[on] = made.rewards, made.terminated, made.truncated
        self._over = terminated | truncated
        return self._observed(), rewards, terminated, truncated, {}

    def _observed(self) -> np.ndarray:
        return self._episodes.observations(self._all).astype(np.float32)


def _spaces(task: Task) -> tuple[gym.spaces.Box, gym.spaces.Box]:
    """Return the spaces of observations and of actions."""
    low, high = (bound.astype(np.float32) for bound in task.bounds)
    size = (len(task.observations or ()),)
    return gym.spaces.Box(-np.inf, np.inf, size, np.float32), gym.spaces.Box(low, high, dtype=np.float32)


def _actions(values: Any, space: Any) -> np.ndarray:
    """Return actions (runs, na)."""
    array = np.asarray(values, dtype=float)
    if array.shape != space.shape or not np.all(np.isfinite(array)):
        raise ParameterError(f"step: actions of shape {array.shape}; must be finite numbers of shape {space.shape}.")
    return array.reshape(-1, space.shape[-1])


def _refuse_options(options: dict[str, Any] | None) -> None:
    if options:
        raise ParameterError(f"reset: options = {options!r}; there are none: a task says how episodes begin.")
