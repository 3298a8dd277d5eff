"""Shape functions of a bending beam, and the integrals that its energies are made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np


class Shapes(ABC):
    """Functions phi_i(xi) of the dimensionless position xi = x/l in [0, 1]; deflection = sum phi_i q_i.

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


# Entries of a symmetric integral below this share of its diagonal are orthogonality lost to rounding.
ROUNDING = 1e-12


def quadrature(size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return Gauss-Legendre points and weights on [0, 1], enough for products of functions with `size` half waves."""
    nodes, weights = np.polynomial.legendre.leggauss(24 + 8 * size)
    return (nodes + 1) / 2, weights / 2


def shape_integrals(shapes: Shapes) -> ShapeIntegrals:
    """Return the integrals of shape functions that are smooth along the whole beam."""
    xi, w = quadrature(shapes.size)
    phi, curvature = shapes.deflection(xi), shapes.curvature(xi)
    return ShapeIntegrals(
        mean=phi @ w,
        moment=phi @ (w * xi),
        mass=_clean((phi * w) @ phi.T),
        stiffness=_clean((curvature * w) @ curvature.T),
    )


def _clean(matrix: np.ndarray) -> np.ndarray:
    """Set what is zero but for rounding to zero, so that it does not cost operations in every evaluation."""
    scale = np.sqrt(np.abs(np.diag(matrix)))
    return np.where(np.abs(matrix) < ROUNDING * np.outer(scale, scale), 0.0, (matrix + matrix.T) / 2)
