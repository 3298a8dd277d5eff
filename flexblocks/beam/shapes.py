"""Shape functions of a bending beam, and the integrals that its energies are made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from flexblocks.beam.tip_body import TipBody


class Shapes(ABC):
    """Functions phi_i(xi) of the dimensionless position xi = x/l in [0, 1]; deflection = sum phi_i a_i, a_i in m.

    The methods take a number or an array (k,) and return an array (n,) or (n, k); slope and curvature are the first
    and second derivative with respect to xi.
    """

    @property
    @abstractmethod
    def size(self) -> int:
        """Number n of functions."""

    @abstractmethod
    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        """Return the derivative of that order (0, 1, 2) of all functions at `xi`."""

    def deflection(self, xi: float | np.ndarray) -> np.ndarray:
        return self.derivative(xi, 0)

    def slope(self, xi: float | np.ndarray) -> np.ndarray:
        return self.derivative(xi, 1)

    def curvature(self, xi: float | np.ndarray) -> np.ndarray:
        return self.derivative(xi, 2)

    def quadrature(self) -> tuple[np.ndarray, np.ndarray]:
        """Return points and weights on [0, 1], enough for products of two of the functions.

        As it stands for `size` half waves; functions that are pieced together need panels.
        """
        return gauss_legendre(24 + 8 * self.size)

    def stiffness(self) -> np.ndarray:
        """Return the integral (n, n) of phi_i'' phi_j''."""
        xi, w = self.quadrature()
        curvature = self.curvature(xi)
        return (curvature * w) @ curvature.T


class ShapeFamily(Protocol):
    """What gives shape functions for a tip body in units of the beam: a discretization."""

    def shapes(self, tip: TipBody) -> Shapes: ...


@dataclass(frozen=True)
class NoShapes(Shapes):
    """A beam that does not bend."""

    @property
    def size(self) -> int:
        return 0

    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        del order
        return np.zeros((0, *np.shape(xi)))


@dataclass(frozen=True)
class ShapeIntegrals:
    """Integrals over xi from 0 to 1 for a uniform beam, all dimensionless.

    Attributes
    ----------
    mean : ndarray (n,)
        of phi_i.
    moment : ndarray (n,)
        of xi phi_i.
    mass : ndarray (n, n)
        of phi_i phi_j.
    stiffness : ndarray (n, n)
        of phi_i'' phi_j''.
    """

    mean: np.ndarray
    moment: np.ndarray
    mass: np.ndarray
    stiffness: np.ndarray


# Integrals below this share of what the norms of the functions allow are zero but for rounding.
ROUNDING = 1e-12


def gauss_legendre(points: int, panels: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return Gauss-Legendre points and weights on [0, 1], so many for each of the panels between these bounds."""
    nodes, weights = np.polynomial.legendre.leggauss(points)
    bounds = np.array([0.0, 1.0]) if panels is None else panels
    start, width = bounds[:-1, None], np.diff(bounds)[:, None]
    return (start + width * (nodes + 1) / 2).ravel(), (width * weights / 2).ravel()


def shape_integrals(shapes: Shapes) -> ShapeIntegrals:
    """Return the integrals of shape functions."""
    xi, w = shapes.quadrature()
    phi, stiffness = shapes.deflection(xi), shapes.stiffness()
    norm, bend = np.sqrt(phi**2 @ w), np.sqrt(np.diag(stiffness))
    return ShapeIntegrals(
        mean=without_rounding(phi @ w, norm),
        moment=without_rounding(phi @ (w * xi), norm),
        mass=_symmetric(without_rounding((phi * w) @ phi.T, np.outer(norm, norm))),
        stiffness=_symmetric(without_rounding(stiffness, np.outer(bend, bend))),
    )


def overlap(first: Shapes, second: Shapes) -> np.ndarray:
    """Return the integral (n, m) of phi_i psi_j between two sets of shapes of one kind."""
    xi, w = first.quadrature()
    phi, psi = first.deflection(xi), second.deflection(xi)
    return without_rounding((phi * w) @ psi.T, np.outer(np.sqrt(phi**2 @ w), np.sqrt(psi**2 @ w)))


def without_rounding(integrals: np.ndarray, bound: np.ndarray) -> np.ndarray:
    """Set what is zero but for rounding to zero, so that it does not cost operations in every evaluation."""
    return np.where(np.abs(integrals) < ROUNDING * bound, 0.0, integrals)


def _symmetric(matrix: np.ndarray) -> np.ndarray:
    return (matrix + matrix.T) / 2
