"""Inputs that are polynomials between breakpoints: constants, arrays over time, planned inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from scipy.interpolate import PPoly

from flexblocks.errors import ParameterError
from flexblocks.simulation.signal import Symbol, TimeSignal


@dataclass(frozen=True, eq=False)
class PiecewisePolynomial(TimeSignal):
    """An input that is a polynomial on each of m pieces.

    Attributes
    ----------
    pieces : scipy.interpolate.PPoly
        ``pieces.x`` (m + 1,) the ends of the pieces [s], ``pieces.c`` (degree + 1, m) their coefficients.
    domain : tuple of 2 floats
        From when to when it is defined [s]. Where that reaches beyond the pieces, the outermost go on.
    """

    pieces: PPoly
    domain: tuple[float, float]

    @property
    def size(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        return len(self.pieces.c) + 1

    @property
    def form(self) -> object:
        return "polynomial", self.size

    def __call__(self, t: float | np.ndarray) -> np.ndarray:
        """Return the value at `t` [s], from the right where it jumps."""
        return self.pieces(t, extrapolate=True)

    def breakpoints_within(self, start: float, end: float) -> np.ndarray:
        slack = 1e-9 * (end - start)
        if start < self.domain[0] - slack or end > self.domain[1] + slack:
            raise ParameterError(
                f"is given from {self.domain[0]:.9g} to {self.domain[1]:.9g} s, the run goes from {start:.9g} to "
                f"{end:.9g} s; extend the input or shorten the run."
            )
        inner = self.pieces.x[1:-1]
        return inner[(inner >= start) & (inner <= end)]

    def parameters(self, left: float, right: float) -> np.ndarray:
        piece = np.searchsorted(self.pieces.x[1:-1], (left + right) / 2, side="right")
        return np.array([self.pieces.x[piece], *self.pieces.c[:, piece]])

    def expression(self, t: Symbol, parameters: Symbol) -> Symbol:
        origin, *coefficients = ca.vertsplit(parameters)
        value = coefficients[0]
        for coefficient in coefficients[1:]:
            value = value * (t - origin) + coefficient
        return value


def from_ppoly(pieces: PPoly) -> PiecewisePolynomial:
    """Return the input of a SciPy piecewise polynomial (PPoly, CubicSpline, CubicHermiteSpline, ...), unchanged.

    Raises
    ------
    ParameterError
        It has several components, falling breakpoints or coefficients that are not finite.
    """
    if pieces.c.ndim != 2:
        raise ParameterError(f"is a polynomial with components of shape {pieces.c.shape[2:]}; must be a scalar.")
    if not (np.all(np.isfinite(pieces.c)) and np.all(np.isfinite(pieces.x))):
        raise ParameterError("has coefficients or breakpoints that are not finite.")
    lengths = np.diff(pieces.x)
    if np.any(lengths < 0):
        raise ParameterError("has breakpoints that fall.")
    # Splines come with pieces of length zero, at knots that are repeated.
    ends = np.append(pieces.x[:-1][lengths > 0], pieces.x[-1])
    return PiecewisePolynomial(PPoly(pieces.c[:, lengths > 0], ends), (float(ends[0]), float(ends[-1])))


def constant(value: float) -> PiecewisePolynomial:
    """Return an input that keeps one value for all time."""
    return PiecewisePolynomial(PPoly([[value]], [0.0, 1.0]), (-np.inf, np.inf))


def piecewise_linear(times: Sequence[float] | np.ndarray, values: Sequence[float] | np.ndarray) -> PiecewisePolynomial:
    """Return the input that joins `values` (k,) at `times` (k,) [s] by straight lines; there is none outside them.

    Raises
    ------
    ParameterError
        Lengths that differ, fewer than two, times that do not rise, numbers that are not finite.
    """
    x, y = _samples("piecewise_linear", times, values, least=2)
    if len(x) != len(y):
        raise ParameterError(f"has {len(y)} values for {len(x)} times; must be as many.")
    return PiecewisePolynomial(PPoly([np.diff(y) / np.diff(x), y[:-1]], x), (x[0], x[-1]))


def piecewise_constant(
    times: Sequence[float] | np.ndarray, values: Sequence[float] | np.ndarray
) -> PiecewisePolynomial:
    """Return an input that jumps.

    Parameters
    ----------
    times : sequence of float (k,)
        When it jumps [s], rising.
    values : sequence of float (k,)
        ``values[i]`` holds from ``times[i]`` on, the last for ever. Before the first time the input is 0.

    Raises
    ------
    ParameterError
        Lengths that differ, times that do not rise, numbers that are not finite.
    """
    x, y = _samples("piecewise_constant", times, values, least=1)
    if len(x) != len(y):
        raise ParameterError(f"piecewise_constant: {len(y)} values for {len(x)} times; must be as many.")
    ends = np.concatenate([[x[0] - 1], x, [x[-1] + 1]])
    return PiecewisePolynomial(PPoly(np.concatenate([[0.0], y])[None, :], ends), (-np.inf, np.inf))


def bang_bang(amplitude: float, width: float, start: float = 0.0) -> PiecewisePolynomial:
    """Return +`amplitude` for `width` [s] from `start` on, then -`amplitude` for as long, then 0.

    Raises
    ------
    ParameterError
        Numbers that are not finite, or a width that is not > 0.
    """
    if not width > 0:
        raise ParameterError(f"bang_bang: width = {width!r} s; must be > 0.")
    return piecewise_constant([start, start + width, start + 2 * width], [amplitude, -amplitude, 0.0])


def _samples(where: str, times: object, values: object, least: int) -> tuple[np.ndarray, np.ndarray]:
    try:
        x, y = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise ParameterError(f"{where}: times and values must be arrays of numbers.") from None
    if x.ndim != 1 or y.ndim != 1 or len(x) < least:
        raise ParameterError(f"{where}: arrays of shapes {x.shape} and {y.shape}; must be (k,), k >= {least}.")
    if not (np.all(np.isfinite(x)) and np.all(np.isfinite(y))):
        raise ParameterError(f"{where}: times and values must be finite; there is a nan or an infinity among them.")
    if not np.all(np.diff(x) > 0):
        at = int(np.argmax(np.diff(x) <= 0))
        raise ParameterError(f"{where}: times must rise; {x[at]:g} s is followed by {x[at + 1]:g} s.")
    return x, y
