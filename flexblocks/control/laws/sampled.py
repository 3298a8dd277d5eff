"""Laws in discrete time: sampled, computed, and held until the next sample."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.control.law import Bound, Law, Tick
from flexblocks.control.reference_inputs import grouped
from flexblocks.control.saturation import Actuators
from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError
from flexblocks.interfaces.variables import Variables, variables

# A delay this share of the sample time from a multiple of it is that multiple.
SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Sampled(Law):
    """A law in a digital controller: it acts at t = k sample_time, and its commands are held in between.

    Parameters
    ----------
    law : Law
        An `LQR`, a `Kalman` or a `Luenberger` in it get the gains of the sampled arm; the states of other laws go on by
        Euler's method, with their gains as they are.
    sample_time : float
        [s]
    delay : float
        From the sample to the moment at which its command acts [s], >= 0; it may be longer than the sample time. Gains
        do not account for it.
    name : str
        Of its states: ``held.motor1.torque``, and commands that wait, ``held.pending[1].motor1.torque``.

    Notes
    -----
    `flexblocks.simulate` stops exactly at the samples. A command that is released at time t is in the trajectory's
    sample at t. Until the first command acts, the inputs are 0.
    """

    law: Law
    sample_time: float
    delay: float = 0.0
    name: str = "held"

    def __post_init__(self) -> None:
        if not isinstance(self.law, Law):
            raise ParameterError(f"Sampled: law = {self.law!r}; must be a law of flexblocks.control.")
        _check("sample_time", self.sample_time, positive=True)
        _check("delay", self.delay, positive=False)

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        inner = self.law.bind_sampled(dae, actuators, self.sample_time)
        if inner.ticks:
            raise ParameterError("Sampled: law is Sampled itself, or a sum with a Sampled law; sample each law once.")
        turns = self.delay / self.sample_time
        whole = int(np.floor(turns + SLACK))
        rest = self.delay - whole * self.sample_time
        rest = rest if rest > SLACK * self.sample_time else 0.0
        waiting = whole + bool(rest)
        commands = ca.vertcat(*inner.commands.values())
        held = self._states(dae, inner.commands, "")
        pending = [self._states(dae, inner.commands, f"pending[{i}].") for i in range(1, waiting + 1)]
        line = [commands, *(register.symbol for register in pending), held.symbol]
        moved = [after - now for after, now in pairwise(line)]
        # With a rest, the last step of the line is made later, at a tick of its own.
        release = ca.SX.zeros(commands.shape) if rest else moved[-1]
        applied = ca.densify(line[whole])
        change = self.sample_time * _substituted(inner, dae, actuators, applied)
        states = grouped("state", [inner.states, held, *pending])
        ticks = [Tick(self.sample_time, 0.0, ca.vertcat(change, release, *moved[:waiting]))]
        if rest:
            others = ca.SX.zeros(len(states) - len(inner.states) - len(held))
            later = ca.vertcat(ca.SX.zeros(len(inner.states)), moved[-1], others)
            ticks.append(Tick(self.sample_time, rest, later))
        return Bound(
            dict(zip(inner.commands, ca.vertsplit(held.symbol), strict=True)),
            inner.references,
            states,
            ca.SX.zeros(len(states)),
            inner.outputs,
            tuple(ticks),
        )

    def designed_on(self, model: DAE) -> Sampled:
        return dataclasses.replace(self, law=self.law.designed_on(model))

    def _states(self, dae: DAE, commands: Mapping[str, Any], place: str) -> Variables:
        return variables("state", [(f"{self.name}.{place}{name}", dae.u.unit(name), 0.0) for name in commands])


def _substituted(inner: Bound, dae: DAE, actuators: Actuators, applied: ca.SX) -> ca.SX:
    """Return the rates of a law's states, with the commands that will act from this sample on."""
    acting = dict(zip(inner.commands, ca.vertsplit(applied), strict=True))
    inputs = [
        actuators.clamped(name, acting[name]) if name in acting else dae.u.symbol[i]
        for i, name in enumerate(dae.u.names)
    ]
    before = ca.vertcat(actuators.excess, actuators.applied)
    after = ca.vertcat(actuators.excesses(inner.commands), *inputs)
    return ca.substitute(inner.rates, before, after)


def _check(name: str, value: Any, positive: bool) -> None:
    number = isinstance(value, (int, float)) and not isinstance(value, bool) and np.isfinite(value)
    if not number or value < 0 or (positive and value == 0):
        raise ParameterError(f"Sampled: {name} = {value!r}; must be a number {'>' if positive else '>='} 0 [s].")
