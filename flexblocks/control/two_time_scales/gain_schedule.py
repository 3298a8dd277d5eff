"""Gain scheduling: gains designed at Chebyshev points of scheduling variables, and interpolated."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.polynomial import chebyshev

from flexblocks.errors import ComputationError, ParameterError, listing

# At most 2 MOST - 1 = 33 designs along one variable, from 3 by doubling the degree. By trial: gains that need more are
# not smooth.
MOST = 17


@dataclass(frozen=True, eq=False)
class GainSchedule:
    """Gains K (rows, columns) as polynomials of scheduling variables, over a range of each.

    Outside its range a variable is clamped to the nearer end. Made by `gain_schedule`.

    Attributes
    ----------
    over : dict of (float, float)
        Scheduling variables and their ranges.
    coefficients : ndarray (n_1, ..., n_d, rows, columns)
        Coefficients of the products of Chebyshev polynomials in the variables, each scaled to -1 ... 1.
    """

    over: Mapping[str, tuple[float, float]]
    coefficients: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of K."""
        rows, columns = self.coefficients.shape[-2:]
        return rows, columns

    def at(self, place: Mapping[str, float]) -> np.ndarray:
        """Return K (rows, columns) at values of the scheduling variables, by name.

        Raises
        ------
        ParameterError
            A scheduling variable is missing.
        """
        if missing := [name for name in self.over if name not in place]:
            raise ParameterError(
                f"GainSchedule: no value for {listing(missing)}; must be one for each scheduling variable."
            )
        coefficients = self.coefficients
        for name, (low, high) in self.over.items():
            scaled = np.clip((2 * place[name] - low - high) / (high - low), -1, 1)
            coefficients = np.tensordot(
                chebyshev.chebvander(scaled, len(coefficients) - 1).ravel(), coefficients, axes=1
            )
        return coefficients

    def expression(self, place: Mapping[str, ca.SX]) -> ca.SX:
        """Return K (rows, columns) as an expression of the scheduling variables."""
        bases = []
        for (name, (low, high)), degrees in zip(self.over.items(), self.coefficients.shape, strict=False):
            scaled = ca.fmin(ca.fmax((2 * place[name] - low - high) / (high - low), -1), 1)
            basis = [ca.SX(1), scaled]
            while len(basis) < degrees:
                basis.append(2 * scaled * basis[-1] - basis[-2])
            bases.append(basis[:degrees])
        K = ca.SX(*self.shape)
        for index in itertools.product(*(range(len(basis)) for basis in bases)):
            product = ca.SX(1)
            for basis, degree in zip(bases, index, strict=True):
                product *= basis[degree]
            K += product * ca.sparsify(ca.DM(self.coefficients[index]))
        return K


def gain_schedule(
    design: Callable[[dict[str, float]], np.ndarray],
    over: Mapping[str, tuple[float, float]],
    tolerance: float = 1e-4,
) -> GainSchedule:
    """Design gains over ranges of scheduling variables.

    Parameters
    ----------
    design : callable
        Function of a dict of values by name that returns the gains K (rows, columns) there; smooth in the values.
    over : dict of (float, float)
        Lowest and highest value of each scheduling variable.
    tolerance : float
        Interpolation error of the gains, relative to the largest of them. Designs are added until it is met.

    Returns
    -------
    GainSchedule

    Raises
    ------
    ParameterError
        Invalid range or tolerance; `design` takes no such dict, or returns no matrix of finite numbers.
    ComputationError
        The gains are not smooth in the variables: 33 designs along one of them do not meet the tolerance.
    FlexblocksError
        Any error of `design`.

    Notes
    -----
    Interpolation at Chebyshev points of the second kind, which converges geometrically where the gains are analytic, as
    a regulator's are (Trefethen, *Approximation Theory and Approximation Practice*, chapters 2 to 4 and 8).
    """
    ranges = _checked(over)
    if not (isinstance(tolerance, (int, float)) and 0 < tolerance < 1):
        raise ParameterError(f"gain_schedule: tolerance = {tolerance!r}; must be a number > 0 and < 1.")
    known: dict[tuple[float, ...], np.ndarray] = {}

    def designed(scaled: tuple[float, ...]) -> np.ndarray:
        if scaled not in known:
            place = {
                name: float((low + high + s * (high - low)) / 2)
                for s, (name, (low, high)) in zip(scaled, ranges.items(), strict=True)
            }
            known[scaled] = _gains(design, place, next(iter(known.values()), None))
        return known[scaled]

    # Double the degree along each variable whose highest coefficients are not yet small.
    degrees = [2] * len(ranges)
    while True:
        coefficients = _interpolated(designed, degrees)
        allowed = tolerance * np.max(np.abs(coefficients))
        coarse = [axis for axis in range(len(degrees)) if _tail(coefficients, axis) > allowed]
        if not coarse:
            return GainSchedule(ranges, _trimmed(coefficients, len(degrees), 1e-2 * allowed))
        for axis in coarse:
            if degrees[axis] >= 2 * (MOST - 1):
                raise ComputationError(
                    f"gain_schedule: the gains change too fast with {list(ranges)[axis]}: {degrees[axis] + 1} places "
                    f"do not meet the tolerance {tolerance:g}. Use a smaller range, or a design with unique gains, "
                    "such as a regulator's."
                )
            degrees[axis] *= 2


def _gains(
    design: Callable[[dict[str, float]], np.ndarray], place: dict[str, float], first: np.ndarray | None
) -> np.ndarray:
    """Return the gains designed at a place, refused where they are no matrix of finite numbers like the `first`."""
    expected = "must be a function of a dict with the values of the scheduling variables that returns a matrix of gains"
    try:
        gains = np.asarray(design(place), dtype=float)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"gain_schedule: design = {design!r} at {place} ended in {type(error).__name__}: {error}; {expected}."
        ) from None
    if gains.ndim != 2 or not np.isfinite(gains).all():
        raise ParameterError(f"gain_schedule: design = {design!r} at {place} returned {gains.tolist()}; {expected}.")
    if first is not None and gains.shape != first.shape:
        raise ParameterError(
            f"gain_schedule: design = {design!r} at {place} returned gains {gains.shape}, and {first.shape} elsewhere; "
            f"{expected}, of one shape."
        )
    return gains


def _interpolated(designed: Callable[[tuple[float, ...]], np.ndarray], degrees: list[int]) -> np.ndarray:
    """Return the Chebyshev coefficients of the interpolant of these degrees through the designs."""
    points = [[float(np.round(np.cos(np.pi * i / n), 15)) for i in range(n + 1)] for n in degrees]
    values = np.array([designed(scaled) for scaled in itertools.product(*points)])
    values = values.reshape([n + 1 for n in degrees] + list(values.shape[1:]))
    for axis, along in enumerate(points):
        solved = np.tensordot(np.linalg.inv(chebyshev.chebvander(np.array(along), len(along) - 1)), values, (1, axis))
        values = np.moveaxis(solved, 0, axis)
    return values


def _tail(coefficients: np.ndarray, axis: int) -> float:
    """Return the size of the last two coefficients along an axis, an estimate of the interpolation error."""
    return float(np.max(np.abs(np.take(coefficients, [-2, -1], axis=axis))))


def _trimmed(coefficients: np.ndarray, variables: int, allowed: float) -> np.ndarray:
    """Return the coefficients without the highest degrees that contribute less than `allowed`."""
    for axis in range(variables):
        others = tuple(i for i in range(coefficients.ndim) if i != axis)
        sizes = np.max(np.abs(coefficients), axis=others)
        last = int(np.max(np.flatnonzero(sizes > allowed), initial=0))
        coefficients = np.take(coefficients, range(last + 1), axis=axis)
    return coefficients


def _checked(over: Mapping[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """Return the ranges as floats; refuse what is not a range."""
    if not isinstance(over, Mapping) or not over:
        raise ParameterError(
            f"gain_schedule: over = {over!r}; must be a dict from scheduling variables to their ranges, such as "
            "{'joint2.angle': (0.0, 1.5)}."
        )
    ranges = {}
    for name, ends in over.items():
        try:
            low, high = (float(end) for end in ends)
        except (TypeError, ValueError):
            low = high = np.nan
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise ParameterError(f"gain_schedule: over: {name} = {ends!r}; must be two finite numbers, low < high.")
        ranges[name] = (low, high)
    return ranges
