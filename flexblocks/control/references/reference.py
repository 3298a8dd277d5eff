"""Reference signals: functions of time with their derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.errors import ParameterError
from flexblocks.libraries import scipy
from flexblocks.simulation.signals.derivative import derivative
from flexblocks.simulation.signals.inputs import signal
from flexblocks.simulation.signals.polynomial import PiecewisePolynomial, constant
from flexblocks.simulation.signals.signal import Signal, TimeSignal


@dataclass(frozen=True, eq=False)
class Reference:
    """A reference signal: position over time with its rate and acceleration, as inputs for `flexblocks.simulate`."""

    position: TimeSignal
    rate: TimeSignal
    acceleration: TimeSignal

    def derivative(self, order: int) -> TimeSignal:
        """Return the time derivative of order 0, 1, 2 or 3; the third, the jerk, may jump.

        Raises
        ------
        ParameterError
            Order 3 of an acceleration that takes numbers only and so cannot be differentiated.
        """
        if order == 3:
            return derivative(self.acceleration)
        return (self.position, self.rate, self.acceleration)[order]


def reference(motion: Any) -> Reference:
    """Return a reference signal from any of its forms.

    Parameters
    ----------
    motion : Reference, float, callable, pair (times, values), PPoly, spline or TimeSignal
        A function must also take a CasADi symbol, so that it can be differentiated. Values over time are interpolated
        by a cubic spline. At jumps the derivative is that on either side; impulses are left out.

    Raises
    ------
    ParameterError
        It is of another type, not finite, or a function that takes numbers only.
    """
    if isinstance(motion, Reference):
        return motion
    if isinstance(motion, (scipy.interpolate.PPoly, scipy.interpolate.BSpline)):
        motion = signal(motion, None)
    if isinstance(motion, PiecewisePolynomial):
        return signal_reference(motion)
    if isinstance(motion, tuple) and len(motion) == 2 and all(np.ndim(part) == 1 for part in motion):
        return signal_reference(signal(_spline(*motion), None))
    if callable(motion) or isinstance(motion, Signal):
        return _of_function(motion if isinstance(motion, Signal) else Signal(motion))
    value = motion if isinstance(motion, (int, float, np.number)) and not isinstance(motion, bool) else np.nan
    if not np.isfinite(value):
        raise ParameterError(
            f"reference = {motion!r}; must be a number, a function of t, a pair (times, values), a scipy piecewise "
            "polynomial, or what quintic or cycloid returns."
        )
    return Reference(constant(float(value)), constant(0.0), constant(0.0))


def signal_reference(position: TimeSignal) -> Reference:
    """Return the reference with this position; its rate and acceleration are exact derivatives."""
    speed = derivative(position)
    return Reference(position, speed, derivative(speed))


def _spline(times: Any, values: Any) -> scipy.interpolate.CubicSpline:
    try:
        return scipy.interpolate.CubicSpline(np.asarray(times, dtype=float), np.asarray(values, dtype=float))
    except ValueError as error:
        raise ParameterError(f"reference: (times, values): {error}") from None


def _of_function(position: Signal) -> Reference:
    try:
        return signal_reference(position)
    except ParameterError as error:
        raise ParameterError(
            f"reference: {error}s; write it with arithmetic and numpy functions, or give the pair (times, values) or a "
            "scipy spline."
        ) from None
