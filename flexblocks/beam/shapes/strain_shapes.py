"""Strain-based shape functions: piecewise polynomial strains, integrated to rotations and deflections."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial import legendre

from flexblocks.beam.shapes.axial_torsional import RodShapes
from flexblocks.beam.shapes.shape_functions import Shapes


@dataclass(frozen=True, eq=False)
class PiecewisePolynomials:
    """Piecewise polynomials: functions that are polynomials on each panel of [0, 1].

    Attributes
    ----------
    ends : ndarray (panels + 1,)
    coefficients : ndarray (n, panels, degree + 1)
        Of Legendre's polynomials on each panel.
    """

    ends: np.ndarray
    coefficients: np.ndarray

    def __call__(self, xi: float | np.ndarray) -> np.ndarray:
        """Return the functions (n,) or (n, k) at `xi`; at the end of a panel the values of the next."""
        place = np.asarray(xi, dtype=float)
        panel = np.clip(np.searchsorted(self.ends, place, side="right") - 1, 0, len(self.ends) - 2)
        start, width = self.ends[panel], np.diff(self.ends)[panel]
        values = legendre.legvander(2 * (place - start) / width - 1, self.coefficients.shape[2] - 1)
        values = values.reshape(*place.shape, -1)  # NumPy makes an array of a single place
        return np.einsum("n...c,...c->n...", self.coefficients[:, panel], values)

    @cached_property
    def integral(self) -> PiecewisePolynomials:
        """The integrals from 0; continuous."""
        half = np.diff(self.ends)[:, None] / 2
        integrals = legendre.legint(self.coefficients, lbnd=-1, axis=2) * half
        gains = integrals.sum(axis=2)  # every Legendre polynomial is 1 at the end of its panel
        integrals[:, 1:, 0] += np.cumsum(gains, axis=1)[:, :-1]
        return PiecewisePolynomials(self.ends, integrals)

    @property
    def derivative(self) -> PiecewisePolynomials:
        """The derivatives on each panel."""
        half = np.diff(self.ends)[:, None] / 2
        return PiecewisePolynomials(self.ends, legendre.legder(self.coefficients, axis=2) / half)

    def __add__(self, other: PiecewisePolynomials) -> PiecewisePolynomials:
        size = max(self.coefficients.shape[2], other.coefficients.shape[2])
        one, two = (
            np.pad(p.coefficients, ((0, 0), (0, 0), (0, size - p.coefficients.shape[2]))) for p in (self, other)
        )
        return PiecewisePolynomials(self.ends, one + two)


@dataclass(frozen=True, eq=False)
class StrainShapes(Shapes):
    """Bending with prescribed curvatures and shear strains, clamped at the root."""

    curvature: PiecewisePolynomials
    sheared: PiecewisePolynomials

    @property
    def size(self) -> int:
        return len(self.curvature.coefficients)

    @cached_property
    def _slope(self) -> PiecewisePolynomials:
        return self.curvature.integral + self.sheared

    @cached_property
    def _deflection(self) -> PiecewisePolynomials:
        return self._slope.integral

    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        function = (self._deflection, self._slope)[order] if order < 2 else self._slope.derivative
        return function(xi)

    def rotation(self, xi: float | np.ndarray) -> np.ndarray:
        return self.curvature.integral(xi)

    def strain(self, xi: float | np.ndarray) -> np.ndarray:
        return self.curvature(xi)

    def shear(self, xi: float | np.ndarray) -> np.ndarray:
        return self.sheared(xi)

    @property
    def bounds(self) -> np.ndarray:
        return self.curvature.ends

    @property
    def points(self) -> int:
        return self.curvature.coefficients.shape[2] + 3


@dataclass(frozen=True, eq=False)
class RodStrainShapes(RodShapes):
    """Extension or torsion with prescribed strains, held at the root."""

    strained: PiecewisePolynomials

    @property
    def size(self) -> int:
        return len(self.strained.coefficients)

    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        return (self.strained.integral, self.strained)[order](xi)

    @property
    def bounds(self) -> np.ndarray:
        return self.strained.ends

    @property
    def points(self) -> int:
        return self.strained.coefficients.shape[2] + 3
