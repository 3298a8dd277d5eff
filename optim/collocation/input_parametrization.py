"""Input parametrisation: piecewise polynomials, linear in values and rates at the mesh points."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.polynomial import polynomial

from flexblocks.errors import suggestion

from ..errors import ProblemError


@dataclass(frozen=True)
class Knot:
    """A knot of an input: the variable of its value, or rate, at one end of the interval (0 begin, 1 end)."""

    end: int
    rate: bool = False


@dataclass(frozen=True, eq=False)
class InputShape:
    """Input polynomials u(s) = sum_i w_i h^(rate_i) sum_j coefficients[i, j] s^j, s from 0 to 1 over a length h.

    Attributes
    ----------
    name : str
    words : str
        Description, for display.
    knots : tuple of Knot
        The variables w_i.
    coefficients : ndarray (number of knots, degree + 1)
    """

    name: str
    words: str
    knots: tuple[Knot, ...]
    coefficients: np.ndarray

    @property
    def degree(self) -> int:
        return self.coefficients.shape[1] - 1

    @property
    def has_rates(self) -> bool:
        """Whether input rates at mesh points are variables."""
        return any(knot.rate for knot in self.knots)

    @property
    def is_continuous(self) -> bool:
        return any(knot.end == 1 for knot in self.knots)


CONSTANT = InputShape("constant", "piecewise constant", (Knot(0),), np.array([[1.0]]))
LINEAR = InputShape("linear", "continuous, piecewise linear", (Knot(0), Knot(1)), np.array([[1.0, -1.0], [0.0, 1.0]]))
CUBIC = InputShape(
    "cubic",
    "continuous with their rates (cubic Hermite)",
    (Knot(0), Knot(0, rate=True), Knot(1), Knot(1, rate=True)),
    np.array([[1.0, 0.0, -3.0, 2.0], [0.0, 1.0, -2.0, 1.0], [0.0, 0.0, 3.0, -2.0], [0.0, 0.0, -1.0, 1.0]]),
)
SHAPES = {shape.name: shape for shape in (CONSTANT, LINEAR, CUBIC)}


def input_shape(name: str) -> InputShape:
    """Return the input parametrisation of a name.

    Raises
    ------
    ProblemError
        There is no such parametrization.
    """
    if name not in SHAPES:
        raise ProblemError(f"plan: inputs = {name!r}{suggestion(name, SHAPES, 'must be one of')}")
    return SHAPES[name]


@dataclass(frozen=True, eq=False)
class Weights:
    """Linear combinations of an interval's knots: row k is sum_i factors[k, i] h^(powers[i]) w_i."""

    factors: np.ndarray
    powers: np.ndarray

    def at(self, h: float) -> np.ndarray:
        """Return the weights (k, number of knots) on an interval of length `h` [s]."""
        return self.factors * float(h) ** self.powers


def weights(shape: InputShape, s: np.ndarray, order: int = 0) -> Weights:
    """Return the inputs (order 0) or their rates (order 1) at the local times `s` (k,)."""
    coefficients, powers = _derivative(shape, order)
    return Weights(
        polynomial.polyvander(np.asarray(s, dtype=float), coefficients.shape[1] - 1) @ coefficients.T, powers
    )


def control_points(shape: InputShape, order: int = 0) -> Weights:
    """Return the Bernstein coefficients of the inputs (order 0) or their rates (order 1).

    A polynomial lies in their convex hull, so limits on them hold at every time.
    """
    coefficients, powers = _derivative(shape, order)
    n = coefficients.shape[1] - 1
    from_powers = np.array([[comb(i, j) / comb(n, j) for j in range(n + 1)] for i in range(n + 1)])
    return Weights(from_powers @ coefficients.T, powers)


def _derivative(shape: InputShape, order: int) -> tuple[np.ndarray, np.ndarray]:
    coefficients = shape.coefficients
    powers = np.array([float(knot.rate) - order for knot in shape.knots])
    if order:
        coefficients = polynomial.polyder(coefficients, order, axis=1)
    return coefficients, powers
