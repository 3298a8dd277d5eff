"""References of a receding horizon as one function of time, and of what they are now where nothing is known ahead."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import casadi as ca
import numpy as np
from scipy.interpolate import BSpline, CubicHermiteSpline, CubicSpline, PPoly

from flexblocks.errors import ParameterError, failure
from flexblocks.plausibility import computable
from flexblocks.simulation.signals.polynomial import PiecewisePolynomial
from flexblocks.simulation.trajectory import Trajectory

# Times at which what a function makes of a symbol is compared with what it makes of numbers.
PROBES = (0.0, 0.0123456789, 0.31415926535, 2.7182818284)
AGREE = 1e-9


def reference_function(name: str, paths: Mapping[str, Any], where: str) -> ca.Function:
    """Return the function (t, now) -> references (k,), their rates (k,), of the signals in their order.

    Raises
    ------
    ParameterError
        A path is nothing that can be known ahead.
    """
    t, now = ca.MX.sym("t"), ca.MX.sym("now", len(paths))
    values = [now[i] if path is None else ahead(path, key, where)(t) for i, (key, path) in enumerate(paths.items())]
    column = ca.densify(ca.vertcat(*values))
    rate = ca.densify(ca.jtimes(column, t, ca.MX(1)))
    return ca.Function(name, [t, now], [column, rate])


def ahead(path: Any, signal: str, where: str) -> Callable[[Any], Any]:
    """Return a path as a function of a symbol of time [s]; beyond its ends it stays where they are."""
    if hasattr(path, "trajectory") and isinstance(path.trajectory, Trajectory):
        path = path.trajectory
    if isinstance(path, Trajectory):
        return _pieces(_through(path, signal, where))
    if isinstance(path, PiecewisePolynomial):
        return _pieces(path.pieces)
    if isinstance(path, BSpline):
        return _pieces(PPoly.from_spline(path))
    if isinstance(path, PPoly):
        return _pieces(path)
    if isinstance(path, tuple) and len(path) == 2:
        return _pieces(_spline(path, signal, where))
    if callable(path):
        return _function(path, signal, where)
    if isinstance(path, (int, float, np.number)) and not isinstance(path, bool) and np.isfinite(path):
        return lambda t: ca.MX(float(path))
    raise ParameterError(
        f"{where}: {signal}: {path!r}; must be None for what is known only now, a number, a function of t, a pair "
        "(times, values), a Trajectory, a Plan or a scipy piecewise polynomial."
    )


def _through(motion: Trajectory, signal: str, where: str) -> PPoly:
    if signal not in motion:
        raise ParameterError(f"{where}: {signal}: the trajectory '{motion.name}' has no such signal; must have it.")
    rate = f"der({signal})"
    if rate in motion:
        return CubicHermiteSpline(motion.t, motion[signal], motion[rate])
    return CubicSpline(motion.t, motion[signal])


def _spline(pair: tuple[Any, Any], signal: str, where: str) -> PPoly:
    try:
        times, values = (np.asarray(part, dtype=float) for part in pair)
        return CubicSpline(times, values)
    except ValueError as error:
        raise ParameterError(f"{where}: {signal}: (times, values): {error}") from None


def _pieces(polynomial: PPoly) -> Callable[[Any], Any]:
    breaks, c = np.asarray(polynomial.x, dtype=float), np.asarray(polynomial.c, dtype=float)

    def value(t: Any) -> Any:
        inside = ca.fmin(ca.fmax(t, breaks[0]), breaks[-1])
        piece = ca.low(ca.DM(breaks), inside)
        local = inside - ca.MX(ca.DM(breaks))[piece]
        sum_ = ca.MX(0)
        for row in c:
            sum_ = sum_ * local + ca.MX(ca.DM(row))[piece]
        return sum_

    return value


def _function(path: Callable[[Any], Any], signal: str, where: str) -> Callable[[Any], Any]:
    t = ca.SX.sym("t")
    try:
        with np.errstate(all="ignore"):
            traced = ca.Function("path", [t], [ca.SX(path(t))])
            numbers = [float(np.asarray(path(time), dtype=float)) for time in PROBES]
    except Exception as error:  # the user's own function may raise anything
        raise ParameterError(
            f"{where}: {signal}: the function fails on a CasADi symbol or a number: {failure(error)}; write it with "
            "arithmetic and numpy functions, or give the pair (times, values)."
        ) from error
    seen = np.array([float(traced(time)) for time in PROBES])
    if traced.numel_out(0) != 1 or not computable(np.array(numbers)):
        raise ParameterError(f"{where}: {signal}: the function returns {numbers[0]!r}; must be one finite number.")
    if not np.allclose(seen, numbers, rtol=AGREE, atol=AGREE):
        raise ParameterError(
            f"{where}: {signal}: the function gives other values for a CasADi symbol than for numbers; must give the "
            "same. Write it with arithmetic and numpy functions, or give the pair (times, values)."
        )
    return traced
