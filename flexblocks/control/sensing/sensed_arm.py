"""The arm as its laws see it: with sensors in the place of what they measure."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import casadi as ca

from flexblocks.control.sensing.sampler import Raw, Sampler, sampler
from flexblocks.control.sensing.sensor import Sensor
from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError, listing


class SensedArm(DAE):
    """An arm whose states and outputs are measured through sensors; laws are bound to it as to the arm itself.

    A law sees a state by its symbol, an output by a symbol of its own, so that both can be distinguished from what the
    arm's equations contain. `read` puts samples in their places, `resolve` then the arm's signals behind them.

    Attributes
    ----------
    arm : DAE
    sensors : dict of Sensor
        By what they measure.
    samplers : dict of Sampler
        Those that the laws read, by what they measure.
    read_in_continuous_time : set of str
        What is measured without samples.
    raw : dict of Raw
        The signals of sensors, and the outputs that laws measure as they are, by name.
    """

    arm: DAE
    sensors: Mapping[str, Sensor]
    samplers: dict[str, Sampler]
    read_in_continuous_time: set[str]
    raw: dict[str, Raw]
    _seen: dict[str, ca.SX]

    @classmethod
    def of(cls, arm: DAE, sensors: Mapping[str, Sensor], raw: Mapping[str, Raw]) -> SensedArm:
        """Return the arm with sensors, of which `raw` holds the signals."""
        view: Any = cls.__new__(cls)
        # What has been derived of the arm is not derived again.
        vars(view).update(vars(copy.copy(arm)))
        vars(view).update(
            arm=arm, sensors=dict(sensors), samplers={}, read_in_continuous_time=set(), raw=dict(raw), _seen={}
        )
        for name in sensors:
            group = next((group for group in (arm.x, arm.z) if name in group), None)
            view._seen[name] = ca.SX.sym(name) if group is None else group.symbol[group.index(name)]
        return view

    def seen(self, name: str, true: ca.SX, unit: str) -> ca.SX:
        """Return what a law sees of a signal: a symbol, unless it is a state or an algebraic variable."""
        if name in self.arm.x or name in self.arm.z:
            return true
        if name in self.sensors:
            return self._seen[name]
        if name not in self.raw:
            self.raw[name] = Raw(ca.SX.sym(name), true, unit, 0.0)
        return self.raw[name].symbol

    def read(self, expressions: list[ca.SX], sample_time: float | None) -> tuple[list[ca.SX], dict[ca.SX, Sampler]]:
        """Return expressions of a law as it reads its sensors.

        Parameters
        ----------
        expressions : list of SX
        sample_time : float or None
            Of the law [s]; None in continuous time.

        Returns
        -------
        list of SX
        dict of Sampler
            By the symbols in these expressions that stand for what a sampler gives at the law's samples.

        Raises
        ------
        ParameterError
            A law in continuous time reads a sensor that takes no samples itself, or a second sampled law does.
        """
        everything = ca.vertcat(*[ca.vec(expression) for expression in expressions], ca.SX(0, 1))
        used = [name for name in self.sensors if ca.depends_on(everything, self._seen[name])]
        values, places = [], {}
        for name in used:
            sensor, raw = self.sensors[name], self.raw[name]
            if sample_time is not None:
                values.append(ca.SX.sym(name))
                places[values[-1]] = self._sampler(sensor, sample_time)
            elif sensor.sample_time is not None:
                values.append(self._sampler(sensor, None).held)
            else:
                self.read_in_continuous_time.add(name)
                values.append(_continuous(sensor, raw.symbol))
        seen = ca.vertcat(*[self._seen[name] for name in used], ca.SX(0, 1))
        return ca.substitute(expressions, [seen], [ca.vertcat(*values, ca.SX(0, 1))]), places

    def _sampler(self, sensor: Sensor, sample_time: float | None) -> Sampler:
        name, period = sensor.measured, sensor.sample_time or sample_time
        assert period is not None
        if name in self.samplers and sensor.sample_time is None:
            raise ParameterError(
                f"{sensor.where}: two sampled laws read it, each at its own samples; must be one. Give it "
                "sample_time=, or make one sampled law of both, as in Sampled(first + second, sample_time)."
            )
        if name not in self.samplers:
            self.samplers[name] = sampler(sensor, self.raw[name], period, sensor.sample_time is None)
        return self.samplers[name]

    @property
    def unread(self) -> list[str]:
        """The sensors that no law reads."""
        return [name for name in self.sensors if name not in self.samplers and name not in self.read_in_continuous_time]

    def resolve(self, expressions: list[ca.SX]) -> list[ca.SX]:
        """Return expressions with the arm's signals in the place of the symbols that stand for them."""
        known = [*self.raw.values(), *(Raw(self._seen[name], self.raw[name].true, "", 0.0) for name in self.sensors)]
        symbols = ca.vertcat(*[raw.symbol for raw in known], ca.SX(0, 1))
        return ca.substitute(expressions, [symbols], [ca.vertcat(*[raw.true for raw in known], ca.SX(0, 1))])


def without_sensors(dae: DAE) -> DAE:
    """Return the arm itself."""
    return dae.arm if isinstance(dae, SensedArm) else dae


def _continuous(sensor: Sensor, signal: ca.SX) -> ca.SX:
    """Return what a law in continuous time sees of a sensor that takes no samples."""
    if sensor.needs_samples:
        raise ParameterError(
            f"{sensor.where}: {listing(sensor.needs_samples)} in a law in continuous time, which takes no samples; "
            "give the sensor sample_time=, or make the law Sampled(law, sample_time)."
        )
    return sensor.value(signal, None)
