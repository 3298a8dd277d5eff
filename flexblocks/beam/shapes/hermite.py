"""Cubic Hermite shape functions: Euler-Bernoulli and Timoshenko beam elements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from flexblocks.beam.shapes.shape_functions import Shapes

# The four cubics on an element, s from 0 to 1: value and slope 1 at its inner end, then at its outer end.
CUBICS = [np.polynomial.Polynomial(c) for c in ([1, 0, -3, 2], [0, 1, -2, 1], [0, 0, 3, -2], [0, 0, -1, 1])]


@dataclass(frozen=True)
class HermiteShapes(Shapes):
    """Deflection and slope dv/dxi at the nodes xi = k/elements, k = 1, 2, ..., in turn; clamped at xi = 0."""

    elements: int

    @property
    def size(self) -> int:
        return 2 * self.elements

    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        return self._placed(xi, lambda k, s, _: CUBICS[k].deriv(order)(s), order)

    def _placed(
        self, xi: float | np.ndarray, function: Callable[[int, np.ndarray, np.ndarray], np.ndarray], order: int
    ) -> np.ndarray:
        """Return derivatives of all functions, from function(k, s, element) of the four on an element of length 1."""
        place = np.asarray(xi, dtype=float) * self.elements
        element = np.minimum(place.astype(int), self.elements - 1)
        # Rows: deflection and slope at the root, which is clamped, then at nodes 1, 2, ...
        rows = np.zeros((self.size + 2, *place.shape))
        for k in range(4):
            # Each derivative, and a unit slope, scales with the length of the element, 1/elements.
            values = function(k, place - element, element) * float(self.elements) ** (order - k % 2)
            np.put_along_axis(rows, (2 * element + k)[None], values[None], axis=0)
        return rows[2:]

    @property
    def bounds(self) -> np.ndarray:
        return np.linspace(0.0, 1.0, self.elements + 1)

    @property
    def points(self) -> int:
        return 4


@dataclass(frozen=True)
class ShearHermiteShapes(HermiteShapes):
    """Timoshenko elements: deflection and rotation at the nodes in turn; clamped at xi = 0.

    Attributes
    ----------
    phi : tuple of float
        For each element 12 EI/(kappa G A h^2), h its length.

    Notes
    -----
    Deflections are cubic, rotations quadratic, and shear strains constant, as in an element that only its ends load
    (Przemieniecki 1968, section 5.6; Friedman & Kosmatka 1993). With phi = 0 they are Hermite's.
    """

    phi: tuple[float, ...]

    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        return self._placed(xi, lambda k, s, e: _blend(DEFLECTIONS[k], order, s, self._phi(e)), order)

    def rotation(self, xi: float | np.ndarray) -> np.ndarray:
        return self._placed(xi, lambda k, s, e: _blend(ROTATIONS[k], 0, s, self._phi(e)), 1)

    def strain(self, xi: float | np.ndarray) -> np.ndarray:
        return self._placed(xi, lambda k, s, e: _blend(ROTATIONS[k], 1, s, self._phi(e)), 2)

    def _phi(self, element: np.ndarray) -> np.ndarray:
        return np.asarray(self.phi)[element]


@dataclass(frozen=True)
class PartHermiteShapes(HermiteShapes):
    """What Timoshenko elements deform in without shear, or in shear alone: 1/(1 + phi) and phi/(1 + phi) of them.

    Attributes
    ----------
    members : tuple of bool
        By element whether it takes part; elsewhere the functions are zero.
    shears : bool
    """

    members: tuple[bool, ...]
    shears: bool

    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        return self._part(xi, DEFLECTIONS, order, order)

    def rotation(self, xi: float | np.ndarray) -> np.ndarray:
        return self._part(xi, ROTATIONS, 0, 1)

    def strain(self, xi: float | np.ndarray) -> np.ndarray:
        return self._part(xi, ROTATIONS, 1, 2)

    def _part(self, xi: float | np.ndarray, of: list, order: int, power: int) -> np.ndarray:
        inside = np.asarray(self.members)
        return self._placed(xi, lambda k, s, e: np.where(inside[e], of[k][self.shears].deriv(order)(s), 0.0), power)


def _polynomials(*rows: tuple[list[float], list[float]]) -> list[tuple[np.polynomial.Polynomial, ...]]:
    return [tuple(np.polynomial.Polynomial(c) for c in row) for row in rows]


# Each is (without shear + phi * shear)/(1 + phi) in s, for the four unit displacements of an element's ends.
DEFLECTIONS = _polynomials(
    ([1, 0, -3, 2], [1, -1]),
    ([0, 1, -2, 1], [0, 0.5, -0.5]),
    ([0, 0, 3, -2], [0, 1]),
    ([0, 0, -1, 1], [0, -0.5, 0.5]),
)
ROTATIONS = _polynomials(
    ([0, -6, 6], [0]),
    ([1, -4, 3], [1, -1]),
    ([0, 6, -6], [0]),
    ([0, -2, 3], [0, 1]),
)


def _blend(pair: tuple[np.polynomial.Polynomial, ...], order: int, s: np.ndarray, phi: np.ndarray) -> np.ndarray:
    rigid, soft = (polynomial.deriv(order)(s) for polynomial in pair)
    return (rigid + phi * soft) / (1 + phi)
