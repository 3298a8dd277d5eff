"""Shape functions of a beam, and the integrals of its mass and stiffness matrices."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import casadi as ca
import numpy as np

from flexblocks.beam.properties.beam_profiles import EULER_BERNOULLI, BeamProfiles
from flexblocks.beam.properties.moving_place import at_symbol
from flexblocks.beam.properties.profile import UNIFORM, Profile
from flexblocks.beam.properties.quadrature import gauss_legendre, panels
from flexblocks.beam.properties.tip_body import TipBody

# Additional Gauss points on each panel where properties vary along the beam: exact for factors of degree 24.
FINER = 12
# Points of polynomials that stand for shapes, besides those that integrate products of two of them.
MORE = 3


class Shapes(ABC):
    """Functions phi_i(xi) of the dimensionless position xi = x/l in [0, 1]; deflection = sum phi_i a_i.

    The methods take a number or an array (k,) and return an array (n,) or (n, k); slope and curvature are derivatives
    with respect to xi.
    """

    @property
    @abstractmethod
    def size(self) -> int:
        """Number n of functions."""

    @abstractmethod
    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        """Return the derivatives of all functions at `xi`; orders 0 and 1 at least."""

    def deflection(self, xi: float | np.ndarray) -> np.ndarray:
        return self.derivative(xi, 0)

    def slope(self, xi: float | np.ndarray) -> np.ndarray:
        return self.derivative(xi, 1)

    def rotation(self, xi: float | np.ndarray) -> np.ndarray:
        """Return the rotations of the sections; without shear the slope."""
        return self.slope(xi)

    def strain(self, xi: float | np.ndarray) -> np.ndarray:
        """Return the strains, which store energy with the beam's rigidity: in bending the curvature."""
        return self.derivative(xi, 2)

    def shear(self, xi: float | np.ndarray) -> np.ndarray:
        """Return the shear strains: slope less rotation."""
        return self.slope(xi) - self.rotation(xi)

    @property
    def bounds(self) -> np.ndarray:
        """The ends of the pieces on which the functions are smooth."""
        return np.array([0.0, 1.0])

    @property
    def points(self) -> int:
        """Gauss points on each piece, enough for products of two of the functions.

        As it stands for `size` half waves.
        """
        # Modes need 8 points for one, 30 for ten and 50 for twenty to come out within 1e-13; three times that, since it
        # is done once for all beams that are alike and tip bodies bend them more sharply.
        return 24 + 8 * self.size

    def quadrature(self, breaks: tuple[float, ...] = (), finer: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Return points and weights on [0, 1], `finer` more on each of the pieces, which `breaks` divide further."""
        return gauss_legendre(self.points + finer, panels(self.bounds, breaks))

    def stiffness(self, rigidity: Profile = UNIFORM) -> np.ndarray:
        """Return the integral (n, n) of the rigidity times products of strains."""
        return self.product(self.strain, rigidity)

    def product(self, function: Callable[[np.ndarray], np.ndarray], weight: Profile = UNIFORM) -> np.ndarray:
        """Return the integral (n, n) of weight f_i f_j of functions that belong to the shapes."""
        xi, w = self.quadrature(weight.breaks, 0 if weight == UNIFORM else FINER)
        f = function(xi)
        return (f * (w * weight(xi))) @ f.T


def moving(shapes: Shapes, quantity: str, xi: float | ca.SX) -> np.ndarray | ca.SX:
    """Return a quantity of shapes (n,) at a number, or (n, 1) at a symbol `xi` = x/l, of a place that moves.

    Parameters
    ----------
    shapes : Shapes
    quantity : str
        A method of shapes: ``"deflection"``, ``"slope"`` or ``"rotation"``.
    xi : float or SX
    """
    function = getattr(shapes, quantity)
    return at_symbol(function, shapes.bounds, shapes.points + MORE, xi) if isinstance(xi, ca.SX) else function(xi)


class ShapeFamily(Protocol):
    """A discretisation, as far as it provides the shape functions of bending."""

    def shapes(self, tip: TipBody, profiles: BeamProfiles = EULER_BERNOULLI) -> Shapes: ...


class RodFamily(Protocol):
    """A discretisation, as far as it provides the shape functions of extension and torsion."""

    def rod_shapes(self, tip: TipBody, profiles: BeamProfiles = EULER_BERNOULLI) -> Shapes: ...


@dataclass(frozen=True)
class NoShapes(Shapes):
    """No shape functions: a beam that does not deform."""

    @property
    def size(self) -> int:
        return 0

    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        del order
        return np.zeros((0, *np.shape(xi)))


@dataclass(frozen=True)
class ShapeIntegrals:
    """Integrals over xi from 0 to 1, all dimensionless; density mu and rigidity e have the mean 1.

    Attributes
    ----------
    mean : ndarray (n,)
        of mu phi_i.
    moment : ndarray (n,)
        of mu xi phi_i.
    mass : ndarray (n, n)
        of mu phi_i phi_j.
    stiffness : ndarray (n, n)
        of e phi_i'' phi_j''; with shear, of derivatives of the rotations; in extension and torsion, of e phi_i' phi_j'.
    """

    mean: np.ndarray
    moment: np.ndarray
    mass: np.ndarray
    stiffness: np.ndarray


# Integrals below this share of their Cauchy-Schwarz bound are rounding: quadrature leaves less than 1e-13.
ROUNDING = 1e-12
# Entries of Gram matrices this near to one are one: modes of mean square 1, by quadrature.
UNIT = 1e-14


def shape_integrals(shapes: Shapes, profiles: BeamProfiles = EULER_BERNOULLI) -> ShapeIntegrals:
    """Return the integrals of shape functions along a beam."""
    xi, w = shapes.quadrature(profiles.density.breaks, 0 if profiles.density == UNIFORM else FINER)
    w = w * profiles.density(xi)
    phi = shapes.deflection(xi)
    norm = np.sqrt(phi**2 @ w)
    return ShapeIntegrals(
        mean=without_rounding(phi @ w, norm),
        moment=without_rounding(phi @ (w * xi), norm),
        mass=gram((phi * w) @ phi.T),
        stiffness=gram(shapes.stiffness(profiles.rigidity)),
    )


def overlap(first: Shapes, second: Shapes, density: Profile = UNIFORM) -> np.ndarray:
    """Return the integral (n, m) of mu phi_i psi_j between two sets of shapes."""
    finer = 0 if density == UNIFORM else FINER
    breaks = (*density.breaks, *second.bounds)
    xi, w = first.quadrature(breaks, finer + max(0, second.points - first.points))
    w = w * density(xi)
    phi, psi = first.deflection(xi), second.deflection(xi)
    return without_rounding((phi * w) @ psi.T, np.outer(np.sqrt(phi**2 @ w), np.sqrt(psi**2 @ w)))


def without_rounding(integrals: np.ndarray, bound: np.ndarray) -> np.ndarray:
    """Return integrals with rounding set to zero, so that it does not cost operations in every evaluation."""
    return np.where(np.abs(integrals) < ROUNDING * bound, 0.0, integrals)


def alike(integrals: np.ndarray) -> np.ndarray:
    """Return integrals with those that differ by rounding alone made equal, so that they are one constant."""
    order = np.argsort(integrals, axis=None)
    ascending = integrals.ravel()[order]
    starts = np.append(True, np.diff(ascending) > 10 * ROUNDING * np.abs(ascending[1:]))
    equal = np.empty_like(ascending)
    equal[order] = ascending[np.maximum.accumulate(np.where(starts, np.arange(len(starts)), 0))]
    return equal.reshape(integrals.shape)


def gram(products: np.ndarray) -> np.ndarray:
    """Return a Gram matrix (n, n) made symmetric, without rounding."""
    norm = np.sqrt(np.diag(products))
    cleaned = without_rounding(products, np.outer(norm, norm))
    cleaned = np.where(np.abs(cleaned - 1) < UNIT, 1.0, cleaned)
    return (cleaned + cleaned.T) / 2
