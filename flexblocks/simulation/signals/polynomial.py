"""Piecewise polynomial inputs: constants, interpolated samples, planned inputs."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.errors import ParameterError
from flexblocks.libraries import scipy
from flexblocks.plausibility import computable, needed
from flexblocks.simulation.signals.resolution import EVALUATIONS, Resolution
from flexblocks.simulation.signals.signal import Symbol, TimeSignal


@dataclass(frozen=True, eq=False)
class PiecewisePolynomial(TimeSignal):
    """Piecewise polynomial input of m pieces.

    Attributes
    ----------
    pieces : scipy.interpolate.PPoly
        ``pieces.x`` (m + 1,) are the breakpoints [s], ``pieces.c`` (degree + 1, m) the coefficients.
    domain : tuple of 2 floats
        Start and end of the domain [s]; beyond the pieces the outermost ones are extrapolated.
    """

    pieces: scipy.interpolate.PPoly
    domain: tuple[float, float]

    @property
    def size(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        return len(self.pieces.c) + 1

    @property
    def form(self) -> object:
        return "polynomial", self.size

    def __call__(self, t: float | np.ndarray) -> np.ndarray:
        """Return the value at `t` [s]; at a jump the limit from the right."""
        return self.pieces(t, extrapolate=True)

    def breakpoints_within(self, begin: float, end: float) -> np.ndarray:
        slack = 1e-9 * (end - begin)
        if begin < self.domain[0] - slack or end > self.domain[1] + slack:
            raise ParameterError(
                f"is defined from {self.domain[0]:.9g} to {self.domain[1]:.9g} s, but the run is from {begin:.9g} to "
                f"{end:.9g} s; extend the input or shorten the run."
            )
        inner = self.pieces.x[1:-1]
        return inner[(inner >= begin) & (inner <= end)]

    def resolution_within(self, begin: float, end: float, breakpoints: np.ndarray) -> Resolution:
        ends = np.array([begin, *breakpoints[(breakpoints > begin) & (breakpoints < end)], end])
        straight = len(self.pieces.c) <= 2  # what its ends show is all
        return Resolution(ends, np.full(len(ends) - 1, np.inf) if straight else np.diff(ends) / EVALUATIONS)

    @property
    def is_constant(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        return len(self.pieces.c) == 1

    def parameters(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        piece = np.searchsorted(self.pieces.x[1:-1], (left + right) / 2, side="right")
        return np.vstack([self.pieces.x[piece], self.pieces.c[:, piece]])

    def expression(self, t: Symbol, parameters: Symbol) -> Symbol:
        origin, *coefficients = ca.vertsplit(parameters)
        value = coefficients[0]
        for coefficient in coefficients[1:]:
            value = value * (t - origin) + coefficient
        return value


def from_ppoly(pieces: scipy.interpolate.PPoly) -> PiecewisePolynomial:
    """Return a SciPy piecewise polynomial (PPoly, CubicSpline, CubicHermiteSpline, ...) as an input, unchanged.

    Raises
    ------
    ParameterError
        It has several components, decreasing breakpoints or coefficients that are not finite.
    """
    if pieces.c.ndim != 2:
        raise ParameterError(f"is a polynomial with components of shape {pieces.c.shape[2:]}; must be a scalar.")
    if not (computable(pieces.c) and computable(pieces.x)):
        raise ParameterError(f"has coefficients or breakpoints that are not {needed([*pieces.c.flat, *pieces.x])}.")
    lengths = np.diff(pieces.x)
    if np.any(lengths < 0):
        raise ParameterError("has decreasing breakpoints; they must increase.")
    # Splines have pieces of length zero at repeated knots.
    ends = np.append(pieces.x[:-1][lengths > 0], pieces.x[-1])
    return PiecewisePolynomial(
        scipy.interpolate.PPoly(pieces.c[:, lengths > 0], ends), (float(ends[0]), float(ends[-1]))
    )


def constant(value: float) -> PiecewisePolynomial:
    """Return a constant input."""
    return PiecewisePolynomial(scipy.interpolate.PPoly([[value]], [0.0, 1.0]), (-np.inf, np.inf))


def piecewise_linear(times: Sequence[float] | np.ndarray, values: Sequence[float] | np.ndarray) -> PiecewisePolynomial:
    """Return the linear interpolation of `values` (k,) at `times` (k,) [s], undefined outside these times.

    Two values at one time are a jump, from the first to the second of them.

    Raises
    ------
    ParameterError
        Different lengths, fewer than two times, times that fall, three values at one time, numbers that are not finite.
    """
    x, y = _samples("piecewise_linear", times, values, least=2, jumps=True)
    if len(x) != len(y):
        raise ParameterError(f"piecewise_linear: {len(y)} values for {len(x)} times; must be as many.")
    lengths = np.diff(x)
    long = lengths > 0
    slopes, ends = np.diff(y)[long] / lengths[long], np.append(x[:-1][long], x[-1])
    return PiecewisePolynomial(scipy.interpolate.PPoly([slopes, y[:-1][long]], ends), (x[0], x[-1]))


def piecewise_constant(
    times: Sequence[float] | np.ndarray, values: Sequence[float] | np.ndarray
) -> PiecewisePolynomial:
    """Return a piecewise constant input (zero-order hold).

    Parameters
    ----------
    times : sequence of float (k,)
        Increasing times of the steps [s].
    values : sequence of float (k,)
        ``values[i]`` holds from ``times[i]`` on, the last for ever. Before the first time the input is 0.

    Raises
    ------
    ParameterError
        Different lengths, times that do not increase, numbers that are not finite.
    """
    x, y = _samples("piecewise_constant", times, values, least=1)
    if len(x) != len(y):
        raise ParameterError(f"piecewise_constant: {len(y)} values for {len(x)} times; must be as many.")
    ends = np.concatenate([[x[0] - 1], x, [x[-1] + 1]])
    return PiecewisePolynomial(scipy.interpolate.PPoly(np.concatenate([[0.0], y])[None, :], ends), (-np.inf, np.inf))


def bang_bang(amplitude: float, width: float, begin: float = 0.0) -> PiecewisePolynomial:
    """Return a bang-bang pulse: +`amplitude` for `width` [s] from `begin` on, then -`amplitude` for as long, then 0.

    Raises
    ------
    ParameterError
        Numbers that are not finite, or width <= 0.
    """
    if not isinstance(width, numbers.Real) or not width > 0:
        raise ParameterError(f"bang_bang: width = {width!r} s; must be > 0.")
    return piecewise_constant([begin, begin + width, begin + 2 * width], [amplitude, -amplitude, 0.0])


def _samples(
    where: str, times: object, values: object, least: int, jumps: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    try:
        given = [np.asarray(times), np.asarray(values)]
        x, y = (array.astype(float) for array in given)
    except (TypeError, ValueError):
        raise ParameterError(f"{where}: times and values must be arrays of numbers.") from None
    if any(array.dtype.kind in "USb" for array in given):
        raise ParameterError(f"{where}: times and values must be arrays of numbers, not of words or truth values.")
    if x.ndim != 1 or y.ndim != 1 or len(x) < least:
        raise ParameterError(f"{where}: arrays of shapes {x.shape} and {y.shape}; must be (k,), k >= {least}.")
    if not (computable(x) and computable(y)):
        words = needed([*x, *y], "finite; there is a nan or an infinity among them")
        raise ParameterError(f"{where}: times and values must be {words}.")
    if jumps and np.any(thrice := (x[2:] == x[:-2])):
        at = x[int(np.argmax(thrice))]
        raise ParameterError(f"{where}: three values at {at:.9g} s; a jump has two, that before and that after.")
    allowed = np.diff(x) >= 0 if jumps and len(x) and x[-1] > x[0] else np.diff(x) > 0
    if not np.all(allowed):
        at = int(np.argmin(allowed))
        raise ParameterError(f"{where}: times must rise; {x[at]:g} s is followed by {x[at + 1]:g} s.")
    return x, y
