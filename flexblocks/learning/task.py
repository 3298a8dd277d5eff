"""What is to be learned: the arm, what a policy sees and does, where episodes begin and end, and what they earn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError
from flexblocks.learning.signals import TIME, Signals
from flexblocks.simulation.stepping.stepper import FixedMethodName, Stepper
from flexblocks.studies.samples import at_quantiles

Distribution = Any  # a number, (lowest, highest) or a frozen distribution of scipy.stats
Reward = Callable[[Signals], Any]


@dataclass(frozen=True, eq=False)
class Task:
    """A task for a policy that acts from sample to sample.

    Parameters
    ----------
    dae : DAE
        The arm, or a closed loop with samplers whose clocks tick with the samples.
    reward : callable
        What a step earns: a function of the `Signals` after it, whose inputs are those held over it; returns numbers
        (runs,).
    sample_time : float
        Time from action to action [s], over which inputs are held.
    duration : float
        Time after which an episode is cut off [s].
    actions : dict, optional
        Inputs that the policy sets, each with its limit or (lowest, highest); by default all actuators, within their
        limits. Other inputs are 0.
    observations : sequence of str, optional
        States, outputs, parameters or ``"time"`` that the policy sees; by default all states. The motion of frames may
        be named as for `DAE.with_outputs`.
    start : dict, optional
        Start states by name: numbers, (lowest, highest) of a uniform distribution, or frozen distributions of
        scipy.stats, as for `flexblocks.studies.samples`. What is left out is as in the model; loops are closed.
    parameters : dict, optional
        Likewise, symbolic parameters of the arm.
    terminated : callable, optional
        Whether an episode ends: a function of the `Signals` as `reward`; returns booleans (runs,). By default none
        ends before its `duration`.
    lost : float
        What the step earns after which the state of the arm is not finite, in single precision; it ends the episode.
    method, substeps
        Of the steps, see `flexblocks.stepper`.

    Raises
    ------
    ParameterError, NameUnknownError
        A name that the arm does not have, an actuator without a limit, or functions that do not return a value for
        each run.
    """

    dae: DAE
    reward: Reward
    _: KW_ONLY
    sample_time: float
    duration: float
    actions: Mapping[str, float | tuple[float, float]] | None = None
    observations: Sequence[str] | None = None
    start: Mapping[str, Distribution] = field(default_factory=dict)
    parameters: Mapping[str, Distribution] = field(default_factory=dict)
    terminated: Callable[[Signals], Any] | None = None
    lost: float = 0.0
    method: FixedMethodName = "rk4"
    substeps: int = 1

    def __post_init__(self) -> None:
        for name, value in (("sample_time", self.sample_time), ("duration", self.duration)):
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < np.inf:
                raise ParameterError(f"Task: {name} = {value!r}; must be a number > 0 [s].")
        if self.steps < 1:
            raise ParameterError(
                f"Task: duration = {self.duration:g} s is shorter than sample_time = {self.sample_time:g} s."
            )
        turns = np.array([self.sample_time / clock.period for clock in self.dae.clocks])
        if np.any(np.abs(turns - np.round(turns)) > 1e-9 * turns):
            raise ParameterError(
                f"Task: sample_time = {self.sample_time:g} s; must be a multiple of the periods of the loop's clocks "
                f"({', '.join(f'{clock.period:g}' for clock in self.dae.clocks)} s)."
            )
        object.__setattr__(self, "actions", self._limits())
        names = self.dae.x.names if self.observations is None else tuple(self.observations)
        own = {TIME, *self.dae.x.names, *self.dae.u.names, *self.dae.p.names}
        object.__setattr__(self, "dae", self.dae.with_outputs([name for name in names if name not in own]))
        object.__setattr__(self, "observations", names)
        for name in self.start:
            self.dae.x.index(name)
        for name in self.parameters:
            self.dae.p.index(name)
        # Before anything is learned: two runs at the start.
        x, p = self.drawn(np.full((2, len(self.start) + len(self.parameters)), 0.5))
        signals = Signals(self.dae, x, np.zeros((2, len(self.dae.u))), p, np.zeros(2))
        self.earned(signals)
        self.ended(signals)

    @property
    def steps(self) -> int:
        """Actions of an episode."""
        return round(self.duration / self.sample_time)

    @cached_property
    def stepper(self) -> Stepper:
        """The arm from action to action."""
        return Stepper(self.dae, self.sample_time, self.method, substeps=self.substeps)

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest actions (na,), in the order of `actions`."""
        low, high = np.array(list((self.actions or {}).values()), dtype=float).reshape(-1, 2).T
        return low, high

    def inputs(self, actions: np.ndarray) -> np.ndarray:
        """Return the inputs (runs, nu) of actions (runs, na), which are kept within their limits."""
        u = np.zeros((len(actions), len(self.dae.u)))
        u[:, [self.dae.u.index(name) for name in self.actions or {}]] = np.clip(actions, *self.bounds)
        return u

    def drawn(self, quantiles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return start states (runs, nx) and parameters (runs, np) at quantiles (runs, draws) of their distributions.

        Loops are not closed yet.
        """
        columns = {**self.start, **self.parameters}
        fixed = {name: float(value) for name, value in columns.items() if isinstance(value, (int, float))}
        varied = {name: value for name, value in columns.items() if name not in fixed}
        kept = [i for i, name in enumerate(columns) if name in varied]
        values = {name: np.full(len(quantiles), value) for name, value in fixed.items()}
        values |= at_quantiles(varied, quantiles[:, kept], "Task") if varied else {}
        x, p = (np.tile(np.asarray(group.start, float), (len(quantiles), 1)) for group in (self.dae.x, self.dae.p))
        for name in self.start:
            x[:, self.dae.x.index(name)] = values[name]
        for name in self.parameters:
            p[:, self.dae.p.index(name)] = values[name]
        return x, p

    def earned(self, signals: Signals) -> np.ndarray:
        """Return the rewards (runs,)."""
        return self._of_runs("reward", self.reward(signals), signals.runs).astype(float)

    def ended(self, signals: Signals) -> np.ndarray:
        """Return whether episodes end (runs,)."""
        ended = False if self.terminated is None else self.terminated(signals)
        return self._of_runs("terminated", ended, signals.runs).astype(bool)

    def _of_runs(self, what: str, values: Any, runs: int) -> np.ndarray:
        array = np.asarray(values)
        if array.shape not in ((), (runs,)) or array.dtype.kind not in "biuf":
            raise ParameterError(
                f"Task: {what} returns {array.dtype} of shape {array.shape} for {runs} runs; must be a number for each "
                f"run, of shape ({runs},)."
            )
        return np.broadcast_to(array, (runs,))

    def _limits(self) -> dict[str, tuple[float, float]]:
        """Return (lowest, highest) of each action."""
        u = self.dae.u
        given = self.actions
        if given is None:
            limits = dict(zip(u.names, u.limits, strict=True)) if len(u.limits) else {}
            given = {
                name: float(limits.get(name, np.inf))
                for name, role in zip(u.names, u.roles, strict=True)
                if role == "actuator"
            }
        found = {}
        for name, limit in given.items():
            u.index(name)
            low, high = (-limit, limit) if isinstance(limit, (int, float)) else limit
            if not (np.isfinite(low) and np.isfinite(high) and low < high):
                raise ParameterError(
                    f"Task: actions: {name} within ({low:g}, {high:g}); must be finite. Give the block a limit, or "
                    f"actions={{'{name}': limit}}."
                )
            found[name] = (float(low), float(high))
        if not found:
            raise ParameterError(f"Task: '{self.dae.name}' has no actuator; name inputs as actions={{...}}.")
        return found
