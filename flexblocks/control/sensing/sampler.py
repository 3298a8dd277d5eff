"""Samples of a sensor as states that change at sample times: the value, what is on its way, whether it has begun."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.control.naming import prefixed
from flexblocks.control.sensing.sensor import Sensor
from flexblocks.dynamics.tree.noise import Noise
from flexblocks.interfaces.variables import Variables, variables

# A delay this close to a multiple of the sample time, as a share of it, is that multiple: delay / sample_time is
# rounded.
SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Raw:
    """The signal that a sensor measures.

    Attributes
    ----------
    symbol : SX
        Stands for the signal until the loop is closed.
    true : SX
        The signal, in the symbols of the arm.
    unit : str
    start : float
        Its value at the start of the arm.
    """

    symbol: ca.SX
    true: ca.SX
    unit: str
    start: float


@dataclass(frozen=True, eq=False)
class Reading:
    """What a sampler gives to a law, and how its states change.

    Attributes
    ----------
    value : SX
        What the law sees at its samples.
    now : SX (n, 1)
        Change of the states at t = k period.
    later : SX (n, 1)
        Change at t = k period + phase.
    """

    value: ca.SX
    now: ca.SX
    later: ca.SX


@dataclass(frozen=True, eq=False)
class Sampler:
    """Samples of one sensor.

    Attributes
    ----------
    sensor : Sensor
    raw : Raw
    period : float
        [s]
    reads : bool
        Whether a law takes the samples, `delay` before its own; else the sensor does, and they arrive later.
    states : Variables
        The value that the law sees, those on their way, and 1 from the first sample on where that counts.
    inputs : Variables
        Noise, and whether a sample is lost.
    """

    sensor: Sensor
    raw: Raw
    period: float
    reads: bool
    states: Variables
    inputs: Variables

    @property
    def phase(self) -> float:
        """When, after a sample, the second change of its states is [s]; 0 where there is none."""
        _, rest = split_delay(self.sensor.delay, self.period)
        return self.period - rest if rest and self.reads else rest

    @property
    def noises(self) -> tuple[Noise, ...]:
        """The laws of its inputs, which are drawn when a sample is taken."""
        sensor = self.sensor
        noise = Noise(prefixed("noise", sensor.measured), "normal", sensor.noise)
        lost = Noise(prefixed("lost", sensor.measured), "lost", sensor.dropouts)
        return tuple(each for each in (noise, lost) if each.size)

    @property
    def held(self) -> ca.SX:
        """The value that is held, a state."""
        return self.states.symbol[0]

    def reading(self, steps: bool) -> Reading:
        """Return what the law sees; without `steps`, as in a linearisation: long begun, of infinite resolution."""
        registers, flag = list(ca.vertsplit(self.states.symbol)), None
        if _begun(self.sensor) in self.states:
            flag = registers.pop()
        value, taken = self._sample(registers, flag if steps else None, steps)
        seen, now, later = self._moved(taken, registers)
        if flag is not None and steps:
            # At the first sample all registers take what is measured then.
            seen, *now = (ca.if_else(flag > 0.5, new, value) for new in (seen, *now))
        change, then = (
            [new - old for new, old in zip(after, registers, strict=True)] for after in (now, later or registers)
        )
        if flag is not None:
            change, then = [*change, 1 - flag], [*then, ca.SX(0)]
        return Reading(seen, ca.vertcat(*change), ca.vertcat(*then))

    def _sample(self, registers: list[ca.SX], flag: ca.SX | None, steps: bool) -> tuple[ca.SX, ca.SX]:
        """Return what is measured, and what is taken of it: the last sample where that is lost, if there is one."""
        given = {name: self.inputs.symbol[i] for i, name in enumerate(self.inputs.names)}
        value = self.sensor.value(self.raw.symbol, given.get(prefixed("noise", self.sensor.measured)), steps)
        lost = given.get(prefixed("lost", self.sensor.measured))
        if lost is None:
            return value, value
        last = registers[min(1, len(registers) - 1)]
        is_lost = lost > 0.5 if flag is None else ca.logic_and(lost > 0.5, flag > 0.5)
        return value, ca.if_else(is_lost, last, value)

    def _moved(self, taken: ca.SX, registers: list[ca.SX]) -> tuple[ca.SX, list[ca.SX], list[ca.SX] | None]:
        """Return what the law sees, the registers after a sample, and those after the time `phase` later, if any."""
        _, rest = split_delay(self.sensor.delay, self.period)
        held, *pending = registers
        if not self.reads:
            # A sample moves along the registers; the last one is what the law sees, from its arrival on.
            line = [taken, *pending]
            return held, [held if rest else line[-1], *line[:-1]], [pending[-1], *pending] if rest else None
        if rest:
            # The newest sample was taken before that of the law, into the first register.
            return pending[-1], [pending[-1], pending[0], *pending[:-1]], [held, taken, *pending[1:]]
        line = [taken, *pending]
        return line[-1], [line[-1], *line[:-1]], None


def sampler(sensor: Sensor, raw: Raw, period: float, reads: bool) -> Sampler:
    """Return the samples of a sensor, taken every `period` [s]; see `Sampler`."""
    whole, rest = split_delay(sensor.delay, period)
    waiting = whole + bool(rest)
    places = ["sensor", *[f"sensor.pending[{i}]" for i in range(1, waiting + 1)]]
    entries = [(prefixed(place, sensor.measured), raw.unit, raw.start) for place in places]
    if waiting or sensor.dropouts or not reads:
        entries.append((_begun(sensor), "1", 0.0))
    inputs = [(prefixed("noise", sensor.measured), raw.unit, 0.0)] if sensor.noise else []
    inputs += [(prefixed("lost", sensor.measured), "1", 0.0)] if sensor.dropouts else []
    group = variables("input", inputs, roles=["disturbance"] * len(inputs))
    return Sampler(sensor, raw, period, reads, variables("state", entries), group)


def split_delay(delay: float, period: float) -> tuple[int, float]:
    """Return a delay [s] as whole periods and a remainder [s]."""
    whole = int(np.floor(delay / period + SLACK))
    rest = delay - whole * period
    return whole, rest if rest > SLACK * period else 0.0


def _begun(sensor: Sensor) -> str:
    return prefixed("sensor.begun", sensor.measured)
