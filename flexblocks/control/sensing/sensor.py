"""Sensor: what a measured signal goes through before a law sees it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.errors import ParameterError, listing


@dataclass(frozen=True)
class Sensor:
    """A sensor: noise, saturation, resolution, lost samples and delay of a measured signal, in this order.

    Parameters
    ----------
    measured : str
        The state or output that it measures, as a law names it. The rate ``der(joint1.angle)`` is a signal of its own.
    resolution : float
        Step of the values that it gives [unit], as of an encoder, >= 0: they are the multiples nearest to the signal.
    noise : float
        Standard deviation [unit], >= 0: white and normally distributed, drawn anew at each of its samples.
    delay : float
        From the sample to the moment its value arrives [s], >= 0.
    sample_time : float, optional
        Of a sensor that samples by itself, at t = k sample_time [s]; its value is held in between, and a value that
        arrives at the moment of a law's sample is seen by the next one. By default the law that reads it takes its
        samples, `delay` before its own.
    dropouts : float
        Probability that a sample is lost, 0 <= dropouts < 1; the last value is held then.
    limits : float or (float, float), optional
        Range of what it can measure [unit]: a magnitude, or least and greatest value.

    Notes
    -----
    Noise and lost samples are inputs of the closed loop, of the role "disturbance": ``noise.joint1.angle`` [unit] and
    ``lost.joint1.angle`` (1 where the sample is lost), zero in every verb but those that run it in time. They draw
    what is not given in ``u`` for the ``seed`` of the run. The value that the law saw last is a state,
    ``sensor.joint1.angle``; of a rate these are ``der(noise.joint1.angle)`` and so on. Until the first sample arrives,
    what is measured at the law's first sample counts.

    Raises
    ------
    ParameterError
        A value out of its range.

    Examples
    --------
    >>> import flexblocks as fb
    >>> from flexblocks import control, models
    >>> dae = fb.assemble(models.subudhi_morris_2002())
    >>> law = control.PD({"rotor1.angle": "motor1.torque", "rotor2.angle": "motor2.torque"}, kp=5.0, kd=0.5)
    >>> encoders = [control.Sensor(name, resolution=1e-4, delay=2e-3) for name in ("rotor1.angle", "rotor2.angle")]
    >>> closed = control.close_loop(dae, control.Sampled(law, 1e-3), sensors=encoders)
    >>> [name for name in closed.x.names if name.startswith("sensor.rotor1")]
    ['sensor.rotor1.angle']
    """

    measured: str
    resolution: float = 0.0
    noise: float = 0.0
    delay: float = 0.0
    sample_time: float | None = None
    dropouts: float = 0.0
    limits: float | tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.measured, str) or not self.measured:
            raise ParameterError(f"Sensor: measured = {self.measured!r}; must be the name of a state or output.")
        for name, unit in (("resolution", "unit of the signal"), ("noise", "unit of the signal"), ("delay", "s")):
            value = getattr(self, name)
            if not _is_number(value) or value < 0:
                raise ParameterError(f"{self.where}: {name} = {value!r}; must be a number >= 0 [{unit}].")
        if self.sample_time is not None and not (_is_number(self.sample_time) and self.sample_time > 0):
            raise ParameterError(
                f"{self.where}: sample_time = {self.sample_time!r}; must be a number > 0 [s], or None."
            )
        if not _is_number(self.dropouts) or not 0 <= self.dropouts < 1:
            raise ParameterError(
                f"{self.where}: dropouts = {self.dropouts!r}; must be a probability, 0 <= dropouts < 1."
            )
        if self.limits is not None:
            low, high = self.bounds
            if not low < high:
                raise ParameterError(
                    f"{self.where}: limits = {self.limits!r}; must be a number > 0, or (least, greatest) of two that "
                    "rise."
                )

    @property
    def where(self) -> str:
        """Name in messages."""
        return f"Sensor '{self.measured}'"

    @property
    def bounds(self) -> tuple[float, float]:
        """Least and greatest value that it can measure."""
        limits = self.limits
        if limits is None:
            return -np.inf, np.inf
        if isinstance(limits, Sequence) and len(limits) == 2 and all(map(_is_number, limits)):
            return float(limits[0]), float(limits[1])
        if isinstance(limits, (int, float)) and _is_number(limits):
            return -float(limits), float(limits)
        raise ParameterError(
            f"{self.where}: limits = {limits!r}; must be a number > 0, or (least, greatest) of two numbers."
        )

    @property
    def needs_samples(self) -> tuple[str, ...]:
        """What of it has no meaning in continuous time."""
        return tuple(name for name in ("resolution", "noise", "delay", "dropouts") if getattr(self, name))

    def value(self, signal: ca.SX, noise: ca.SX | None, steps: bool = True) -> ca.SX:
        """Return what a sample gives; without `steps`, as if its resolution were infinite."""
        value = signal if noise is None else signal + noise
        low, high = self.bounds
        if self.limits is not None:
            value = ca.fmin(ca.fmax(value, low), high)
        return self.resolution * ca.floor(value / self.resolution + 0.5) if self.resolution and steps else value


def checked_sensors(sensors: Any, where: str) -> dict[str, Sensor]:
    """Return sensors by the name of what they measure.

    Raises
    ------
    ParameterError
        They are no sensors, or two measure the same.
    """
    if isinstance(sensors, (str, dict, Sensor)) or not isinstance(sensors, Iterable):
        raise ParameterError(
            f"{where}: sensors = {sensors!r}; must be a list of sensors, such as [Sensor('joint1.angle', noise=1e-4)]."
        )
    given = list(sensors)
    for sensor in given:
        if not isinstance(sensor, Sensor):
            raise ParameterError(f"{where}: sensors: {sensor!r}; must be of type Sensor.")
    names = [sensor.measured for sensor in given]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ParameterError(f"{where}: sensors: two measure {listing(twice)}; must be one for each signal.")
    return dict(zip(names, given, strict=True))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and bool(np.isfinite(value))
