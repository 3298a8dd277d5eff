"""Reference signals: functions of time with their derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from scipy.interpolate import BSpline, CubicSpline, PPoly

from flexblocks.errors import ParameterError
from flexblocks.simulation.signals.inputs import signal
from flexblocks.simulation.signals.polynomial import PiecewisePolynomial, constant
from flexblocks.simulation.signals.signal import Signal, TimeSignal, derived


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
            return _differentiated(self.acceleration)
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
    if isinstance(motion, (PPoly, BSpline)):
        motion = signal(motion, None)
    if isinstance(motion, PiecewisePolynomial):
        return polynomial_reference(motion)
    if isinstance(motion, tuple) and len(motion) == 2 and all(np.ndim(part) == 1 for part in motion):
        return polynomial_reference(signal(_spline(*motion), None))
    if callable(motion) or isinstance(motion, Signal):
        return _of_function(motion if isinstance(motion, Signal) else Signal(motion))
    value = motion if isinstance(motion, (int, float, np.number)) and not isinstance(motion, bool) else np.nan
    if not np.isfinite(value):
        raise ParameterError(
            f"reference = {motion!r}; must be a number, a function of t, a pair (times, values), a scipy piecewise "
            "polynomial, or what quintic or cycloid returns."
        )
    return Reference(constant(float(value)), constant(0.0), constant(0.0))


def polynomial_reference(position: TimeSignal) -> Reference:
    """Return the reference whose position is a piecewise polynomial."""
    assert isinstance(position, PiecewisePolynomial)
    derivatives = [position]
    for _ in range(2):
        derivatives.append(PiecewisePolynomial(_derivative(derivatives[-1].pieces), position.domain))
    return Reference(*derivatives)


def _differentiated(acceleration: TimeSignal) -> TimeSignal:
    """Return the jerk: the derivative of an acceleration, between its jumps."""
    if isinstance(acceleration, PiecewisePolynomial):
        return PiecewisePolynomial(_derivative(acceleration.pieces), acceleration.domain)
    if not isinstance(acceleration, Signal) or acceleration.compiled is None:
        raise ParameterError(
            "reference: the acceleration does not take a CasADi symbol, so it has no derivative; write it with "
            "arithmetic and numpy functions, or as a scipy piecewise polynomial."
        )
    t = ca.SX.sym("t")
    jerk = ca.jacobian(ca.SX(acceleration.compiled(t)), t)
    return derived(ca.Function("jerk", [t], [ca.densify(jerk)]), acceleration)


def _derivative(pieces: PPoly) -> PPoly:
    if len(pieces.c) == 1:
        return PPoly(np.zeros_like(pieces.c), pieces.x)
    return pieces.derivative()


def _spline(times: Any, values: Any) -> CubicSpline:
    try:
        return CubicSpline(np.asarray(times, dtype=float), np.asarray(values, dtype=float))
    except ValueError as error:
        raise ParameterError(f"reference: (times, values): {error}") from None


def _of_function(position: Signal) -> Reference:
    if position.compiled is None:
        raise ParameterError(
            "reference: the function does not take a CasADi symbol, so it has no derivatives; write it with "
            "arithmetic and numpy functions, or give the pair (times, values) or a scipy spline."
        )
    t = ca.SX.sym("t")
    values = [ca.SX(position.compiled(t))]
    for _ in range(2):
        values.append(ca.jacobian(values[-1], t))
    functions = [ca.Function("reference", [t], [ca.densify(value)]) for value in values]
    return Reference(*(derived(function, position) for function in functions))
