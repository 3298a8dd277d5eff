"""Strain-based shape functions: piecewise polynomial strains, integrated to rotations and deflections."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial import legendre

from flexblocks.beam.properties.quadrature import panels
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

    def scaled(self, factors: np.ndarray) -> PiecewisePolynomials:
        """Return each function times a factor (n,)."""
        return PiecewisePolynomials(self.ends, self.coefficients * factors[:, None, None])

    def __add__(self, other: PiecewisePolynomials) -> PiecewisePolynomials:
        ends, one, two = self._alike(other)
        return PiecewisePolynomials(ends, one + two)

    def stacked(self, other: PiecewisePolynomials) -> PiecewisePolynomials:
        """Return these functions, then the others."""
        ends, one, two = self._alike(other)
        return PiecewisePolynomials(ends, np.concatenate([one, two]))

    def _alike(self, other: PiecewisePolynomials) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return panels that serve both, and the coefficients of both on these, of one degree."""
        ends, size = self.ends, max(self.coefficients.shape[2], other.coefficients.shape[2])
        if len(self.ends) != len(other.ends) or not np.allclose(self.ends, other.ends, rtol=0.0, atol=1e-12):
            ends = panels(self.ends, other.ends)
        one, two = (p._on(ends, size) for p in (self, other))
        return ends, one, two

    def _on(self, ends: np.ndarray, size: int) -> np.ndarray:
        """Return coefficients (n, panels, size) on finer panels."""
        if len(ends) == len(self.ends):
            return np.pad(self.coefficients, ((0, 0), (0, 0), (0, size - self.coefficients.shape[2])))
        nodes, weights = legendre.leggauss(size)
        places = ends[:-1, None] + np.diff(ends)[:, None] * (nodes + 1) / 2
        values = self(places)
        projection = legendre.legvander(nodes, size - 1) * weights[:, None] * (2 * np.arange(size) + 1) / 2
        return np.einsum("npk,kc->npc", values, projection)


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


def with_rest(shapes: Shapes | None, rest: PiecewisePolynomials) -> Shapes:
    """Return the shapes that turn sections, followed by one whose curvature, or twist, is that of the unloaded beam."""
    if isinstance(shapes, StrainShapes):
        curvature = shapes.curvature.stacked(rest)
    elif isinstance(shapes, RodStrainShapes):
        return RodStrainShapes(shapes.strained.stacked(rest))
    else:
        curvature = rest
    return StrainShapes(curvature, curvature.scaled(np.zeros(len(curvature.coefficients))))
