"""Sampled control: a law in a digital controller, with zero-order hold and computational delay."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.control.design.driven_inputs import without_disturbances
from flexblocks.control.law import Bindable, Bound, Law, SampledUpdate, as_law
from flexblocks.control.reference_inputs import grouped
from flexblocks.control.saturation import Actuators
from flexblocks.control.sensing.sampler import Sampler, split_delay
from flexblocks.control.sensing.sensed_arm import SensedArm
from flexblocks.control.sensor_updates import with_readings
from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError
from flexblocks.interfaces.variables import Variables, variables


@dataclass(frozen=True, eq=False)
class Sampled(Law):
    """A law in a digital controller: sampled at t = k sample_time, its commands held in between.

    Parameters
    ----------
    law : Bindable
        `LQR`, `Kalman` and `Luenberger` with poles get gains designed for the sampled arm. Other laws keep their gains,
        which are then those of the sampled arm, and their states advance by the explicit Euler method.
    sample_time : float
        [s]
    delay : float, optional
        From the sample to the moment its command takes effect [s], >= 0; may be longer than the sample time. Gains do
        not account for it. By default that over which the law predicts, as `flexblocks.optim.MPC` does, else 0.
    name : str
        Prefix of its states: ``held.motor1.torque``, and delayed commands, ``held.pending[1].motor1.torque``.

    Notes
    -----
    `flexblocks.simulate` stops exactly at the samples. A command that takes effect at time t is already in the
    trajectory's sample at t. Until the first command takes effect, the inputs are 0.
    """

    law: Bindable
    sample_time: float
    delay: float | None = None
    name: str = "held"

    def __post_init__(self) -> None:
        as_law(self.law, "Sampled")
        _check("sample_time", self.sample_time, positive=True)
        if self.delay is not None:
            _check("delay", self.delay, positive=False)

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        inner = as_law(self.law, "Sampled").bind_sampled(dae, actuators, self.sample_time)
        if inner.updates:
            raise ParameterError(
                "Sampled: law is Sampled itself, or a sum with a Sampled law; must be in continuous time."
            )
        if isinstance(dae, SensedArm):
            inner, readings = _as_read(dae, inner, self.sample_time)
        else:
            readings = {}
        # The delay as whole samples and a remainder [s].
        delay = as_law(self.law, "Sampled").predicted_delay if self.delay is None else self.delay
        whole, rest = split_delay(delay, self.sample_time)
        waiting = whole + bool(rest)
        # Commands move one place along a delay line at every sample; its last place is what the arm gets.
        commands = ca.vertcat(*inner.commands.values())
        held = self._states(dae, inner.commands, "")
        pending = [self._states(dae, inner.commands, f"pending[{i}].") for i in range(1, waiting + 1)]
        line = [commands, *(register.symbol for register in pending), held.symbol]
        steps = [after - now for after, now in pairwise(line)]
        # With a fractional delay, the last step of the line is an update of its own, later than the sample.
        release = ca.SX.zeros(commands.shape) if rest else steps[-1]
        # The states of the law advance with the inputs that act until the next sample, in their mean.
        before = rest / self.sample_time
        applied = ca.densify(before * held.symbol + (1 - before) * line[whole])
        change = self.sample_time * _substituted(inner, dae, actuators, applied)
        states = grouped("state", [inner.states, held, *pending])
        updates = [SampledUpdate(self.sample_time, 0.0, ca.vertcat(change, release, *steps[:waiting]))]
        if rest:
            others = ca.SX.zeros(len(states) - len(inner.states) - len(held))
            later = ca.vertcat(ca.SX.zeros(len(inner.states)), steps[-1], others)
            updates.append(SampledUpdate(self.sample_time, rest, later))
        bound = Bound(
            dict(zip(inner.commands, ca.vertsplit(held.symbol), strict=True)),
            inner.references,
            states,
            ca.SX.zeros(len(states)),
            inner.outputs,
            tuple(updates),
        )
        return with_readings(bound, readings)

    def designed_on(self, model: DAE) -> Sampled:
        return dataclasses.replace(self, law=as_law(self.law, "Sampled").designed_on(model))

    def _states(self, dae: DAE, commands: Mapping[str, Any], place: str) -> Variables:
        """Return the states of one place in the delay line."""
        return variables("state", [(f"{self.name}.{place}{name}", dae.u.unit(name), 0.0) for name in commands])


def _as_read(arm: SensedArm, inner: Bound, sample_time: float) -> tuple[Bound, dict[ca.SX, Sampler]]:
    """Return a law as it reads sensors at its samples, and what the symbols in it stand for."""
    names = list(inner.commands)
    (*commands, rates), readings = arm.read([*inner.commands.values(), inner.rates], sample_time)
    return dataclasses.replace(inner, commands=dict(zip(names, commands, strict=True)), rates=rates), readings


def _substituted(inner: Bound, dae: DAE, actuators: Actuators, applied: ca.SX) -> ca.SX:
    """Return the rates of a law's states under the inputs that act from this sample on."""
    acting = dict(zip(inner.commands, ca.vertsplit(applied), strict=True))
    known = without_disturbances(dae, dae.u.symbol, ())
    inputs = [
        actuators.saturated(name, acting[name]) if name in acting else known[i] for i, name in enumerate(dae.u.names)
    ]
    before = ca.vertcat(actuators.excess, actuators.applied)
    after = ca.vertcat(actuators.excess_values(inner.commands), *inputs)
    return ca.substitute(inner.rates, before, after)


def _check(name: str, value: Any, positive: bool) -> None:
    number = isinstance(value, (int, float)) and not isinstance(value, bool) and np.isfinite(value)
    if not number or value < 0 or (positive and value == 0):
        raise ParameterError(f"Sampled: {name} = {value!r}; must be a number {'>' if positive else '>='} 0 [s].")
