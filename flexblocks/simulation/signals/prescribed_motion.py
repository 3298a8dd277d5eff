"""Motion of prescribed coordinates: start values and acceleration of a function of time, by its exact derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError
from flexblocks.libraries import scipy
from flexblocks.simulation.signals.derivative import derivative
from flexblocks.simulation.signals.inputs import signal
from flexblocks.simulation.signals.signal import TimeSignal

# Jumps of position or speed above this fraction of their largest value are no rounding.
JUMP = 1e-9


def with_prescribed_motion(
    dae: DAE, u: Any, x0: Any, times: np.ndarray, sampled: bool, where: str
) -> tuple[Any, Mapping[str, float] | Sequence[float] | np.ndarray | None]:
    """Return inputs and start values with the accelerations and start values of prescribed coordinates.

    Parameters
    ----------
    dae : DAE
    u : dict or None
        By name of an input, or of a prescribed coordinate: its motion, two times differentiable.
    x0 : dict, array or None
    times : ndarray (k,)
        Output times [s].
    sampled : bool
        Whether the user passed these times, so that arrays refer to them.
    where : str
        For messages.

    Raises
    ------
    ParameterError
        A motion that jumps or has a kink, that has no derivatives, or that contradicts a start value; a coordinate and
        its acceleration.
    """
    if not isinstance(u, Mapping):
        return u, x0
    inputs, starts = dict(u), {}
    for prescription in dae.tree.prescribed:
        name, acceleration = prescription.name, prescription.acceleration[0]
        if name not in inputs:
            continue
        if acceleration in inputs:
            raise ParameterError(f"{where}: u: both {name} and {acceleration}; give one of them.")
        try:
            motion = _motion(inputs.pop(name), times if sampled else None)
            position, speed, inputs[acceleration] = motion, *_derivatives(motion, times[0], times[-1])
        except ParameterError as error:
            raise ParameterError(f"{where}: input {name}: {error}") from None
        start = float(times[0])
        starts |= {name: _value(position, start), f"der({name})": _value(speed, start)}
    return inputs, _start_values(dae, x0, starts, where) if starts else x0


def _motion(value: Any, times: np.ndarray | None) -> TimeSignal:
    """Return a motion as a signal; samples are joined by a cubic spline, which has two derivatives."""
    if isinstance(value, tuple) and len(value) == 2 and all(np.ndim(part) == 1 for part in value):
        times, value = (np.asarray(part, dtype=float) for part in value)
    if times is not None and isinstance(value, (list, np.ndarray)) and np.shape(value) == np.shape(times):
        samples = np.asarray(value, dtype=float)
        if np.all(np.isfinite(samples)) and np.all(np.isfinite(times)) and np.all(np.diff(times) > 0):
            return signal(scipy.interpolate.CubicSpline(times, samples), None)
    return signal(value, times)


def _derivatives(motion: TimeSignal, start: float, end: float) -> tuple[TimeSignal, TimeSignal]:
    """Return speed and acceleration of a motion; refuse one that jumps or has a kink within the run."""
    try:
        speed = derivative(motion)
        acceleration = derivative(speed)
    except ParameterError as error:
        raise ParameterError(
            f"{error}; write it with functions of NumPy or CasADi, such as ca.sin(t), or give samples (times, values)."
        ) from None
    for time in motion.breakpoints_within(start, end):
        hair = 1e-9 * max(1.0, abs(time), end - start)
        for what, function in (("jumps", motion), ("has a kink, where its speed jumps,", speed)):
            before, after = (_value(function, time + side) for side in (-hair, hair))
            # What a smooth motion changes within the two hairs is of their size.
            slope = abs(_value(function, time + 3 * hair) - after) + abs(before - _value(function, time - 3 * hair))
            if abs(after - before) > JUMP * max(abs(before), abs(after)) + 10 * slope:
                raise ParameterError(
                    f"{what} at t = {time:.6g} s, which would take an infinite force; must be smooth: round it off, or "
                    "give samples (times, values), which are joined by a cubic spline."
                )
    return speed, acceleration


def _value(function: TimeSignal, time: float) -> float:
    return float(function(time))  # type: ignore[operator]


def _start_values(dae: DAE, x0: Any, starts: Mapping[str, float], where: str) -> Any:
    """Return the start values with those of the prescribed motions; refuse others that the user gave for these."""
    named = x0 if isinstance(x0, Mapping) else {}
    for name, value in starts.items():
        if name in named and not np.isclose(float(named[name]), value, rtol=1e-9, atol=1e-12):
            raise ParameterError(
                f"{where}: x0: {name} = {named[name]:g}, but its prescribed motion starts at {value:.9g}; leave it out."
            )
    if x0 is None or isinstance(x0, Mapping):
        return {**named, **starts}
    values = dae.x.values(x0, f"{where}: x0: ")
    for name, value in starts.items():
        values[dae.x.index(name)] = value
    return values
