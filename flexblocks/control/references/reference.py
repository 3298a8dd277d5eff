"""What a variable is to follow: a function of time with its derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from scipy.interpolate import BSpline, CubicSpline, PPoly

from flexblocks.errors import ParameterError
from flexblocks.simulation.inputs import signal
from flexblocks.simulation.polynomial import PiecewisePolynomial, constant
from flexblocks.simulation.signal import Signal, TimeSignal


@dataclass(frozen=True, eq=False)
class Reference:
    """A place over time, with its rate and its acceleration, as inputs for `flexblocks.simulate`."""

    position: TimeSignal
    rate: TimeSignal
    acceleration: TimeSignal

    def derivative(self, order: int) -> TimeSignal:
        """Return the derivative in time of order 0, 1, 2 or 3; that of order 3 may jump.

        Raises
        ------
        ParameterError
            The acceleration is a function that takes numbers only, and order 3 is asked for.
        """
        if order == 3:
            return _differentiated(self.acceleration)
        return (self.position, self.rate, self.acceleration)[order]


def reference(given: Any) -> Reference:
    """Return the reference that `given` stands for.

    Parameters
    ----------
    given : Reference, float, callable, pair (times, values), PPoly, spline or TimeSignal
        A function must also take a CasADi symbol, so that it can be differentiated. Values over time are joined by a
        cubic spline. The derivative of what jumps is that between the jumps.

    Raises
    ------
    ParameterError
        It is none of these, not finite, or a function that takes numbers only.
    """
    if isinstance(given, Reference):
        return given
    if isinstance(given, (PPoly, BSpline)):
        given = signal(given, None)
    if isinstance(given, PiecewisePolynomial):
        return of_polynomial(given)
    if isinstance(given, tuple) and len(given) == 2 and all(np.ndim(part) == 1 for part in given):
        return of_polynomial(signal(_spline(*given), None))
    if callable(given) or isinstance(given, Signal):
        return _of_function(given if isinstance(given, Signal) else Signal(given))
    value = given if isinstance(given, (int, float, np.number)) and not isinstance(given, bool) else np.nan
    if not np.isfinite(value):
        raise ParameterError(
            f"reference = {given!r}; must be a number, a function of t, a pair (times, values), a scipy piecewise "
            "polynomial, or what quintic or cycloid returns."
        )
    return Reference(constant(float(value)), constant(0.0), constant(0.0))


def of_polynomial(position: TimeSignal) -> Reference:
    """Return the reference of a piecewise polynomial."""
    assert isinstance(position, PiecewisePolynomial)
    found = [position]
    for _ in range(2):
        found.append(PiecewisePolynomial(_derivative(found[-1].pieces), position.domain))
    return Reference(*found)


def _differentiated(given: TimeSignal) -> TimeSignal:
    """Return the derivative of an acceleration, between its jumps."""
    if isinstance(given, PiecewisePolynomial):
        return PiecewisePolynomial(_derivative(given.pieces), given.domain)
    if not isinstance(given, Signal) or given.compiled is None:
        raise ParameterError(
            "reference: the acceleration does not take a CasADi symbol, so it has no derivative; write it with "
            "arithmetic and numpy functions, or as a scipy piecewise polynomial."
        )
    t = ca.SX.sym("t")
    jerk = ca.jacobian(ca.SX(given.compiled(t)), t)
    return Signal(ca.Function("jerk", [t], [ca.densify(jerk)]), given.breakpoints)


def _derivative(pieces: PPoly) -> PPoly:
    if len(pieces.c) == 1:
        return PPoly(np.zeros_like(pieces.c), pieces.x)
    return pieces.derivative()


def _spline(times: Any, values: Any) -> CubicSpline:
    try:
        return CubicSpline(np.asarray(times, dtype=float), np.asarray(values, dtype=float))
    except ValueError as error:
        raise ParameterError(f"reference: (times, values): {error}") from None


def _of_function(given: Signal) -> Reference:
    if given.compiled is None:
        raise ParameterError(
            "reference: the function does not take a CasADi symbol, so it has no derivatives; write it with "
            "arithmetic and numpy functions, or give the pair (times, values) or a scipy spline."
        )
    t = ca.SX.sym("t")
    values = [ca.SX(given.compiled(t))]
    for _ in range(2):
        values.append(ca.jacobian(values[-1], t))
    functions = [ca.Function("reference", [t], [ca.densify(value)]) for value in values]
    breakpoints = given.breakpoints
    return Reference(*(Signal(function, breakpoints) for function in functions))
