"""Shape functions of an axially moving beam that is flexible in shear (Timoshenko), and their integrals.

Of a beam whose sections are in balance the shear strain is -lambda times the derivative of the curvature, lambda =
EI/(kappa G A l^2), and falls as the beam slides out. Its shapes are phi_i + c(l) chi_i, with functions phi_i and chi_i
of xi alone: the shapes that the discretisation makes at one extension, and what shear changes of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca
import numpy as np
from numpy.polynomial import legendre

from flexblocks.beam.shapes.hermite import ShearHermiteShapes
from flexblocks.beam.shapes.shape_functions import Shapes
from flexblocks.beam.shapes.sliding_shapes import (
    Matrix,
    SlidingShapes,
    StrainForms,
    cleaned,
    differentiated,
    integrated,
)

Number = float | ca.SX
Forms = tuple[Matrix, Matrix, Matrix]


@dataclass(frozen=True, eq=False)
class ShearingShapes:
    """The integrals of phi_1 ... phi_n, chi_1 ... chi_n: of both sets, one after the other.

    Attributes
    ----------
    both : SlidingShapes
        Integrals of 2 n functions that stretch with the beam and change no further.
    ratio : float
        lambda for which the discretisation has made its shapes.
    elements : int
        Of a beam of finite elements, whose coordinates remain deflections of its nodes; else 0.
    """

    both: SlidingShapes
    ratio: float
    elements: int

    def at(self, ratio: Number) -> SlidingShapes:
        """Return the integrals of the shapes in a beam of this lambda, which goes with 1/l^2."""
        share, change = self._share(ratio)
        both, shear = self.both, self.both.shear
        assert shear is not None
        of_mass = _combined((both.mass, both.coupling, both.change), share, change)
        of_strain = _combined((both.stiffness, both.flexing, both.flexed), share, change)
        of_shear = _combined((shear.stiffness, shear.flexing, shear.flexed), share, change)
        return SlidingShapes(
            mean=share.T @ both.mean,
            moment=share.T @ both.moment,
            drift=share.T @ both.drift + change.T @ both.mean,
            swing=share.T @ both.swing + change.T @ both.moment,
            mass=of_mass[0],
            coupling=of_mass[1],
            change=of_mass[2],
            stiffness=of_strain[0],
            flexing=of_strain[1],
            flexed=of_strain[2],
            value=share.T @ both.value,
            slope=share.T @ both.slope,
            shear=StrainForms(*of_shear, mouth=share.T @ shear.mouth),
        )

    def overlap(self, ratio: Number, other: Number) -> tuple[ca.SX, ca.SX]:
        """Return the integrals of phi_i phi_j and phi_i psi_j of two planes, whose lambdas are `ratio` and `other`."""
        (one, _), (two, change) = self._share(ratio), self._share(other)
        return one.T @ (self.both.mass @ two), one.T @ (self.both.coupling @ two + self.both.mass @ change)

    def _share(self, ratio: Number) -> tuple[ca.SX, ca.SX]:
        """Return C (2 n, n), which makes the shapes of both sets, and l dC/dl."""
        phi = 12 * self.elements**2 * ratio
        share = 2 * phi / (1 + phi) if self.elements else ratio / self.ratio
        change = -2 * share / (1 + phi)
        one = ca.SX.eye(self.both.value.numel() // 2)
        return ca.vertcat(one, share * one), ca.vertcat(ca.SX(*one.shape), change * one)


def shearing_shapes(shapes: Shapes, angles: np.ndarray, ratio: float) -> ShearingShapes:
    """Return the integrals of shapes that were made for the lambda `ratio`; `angles` as for `constant_shapes`."""
    mouth = shapes.shear(0.0)
    if isinstance(shapes, ShearHermiteShapes):
        rigid, soft = (ShearHermiteShapes(shapes.elements, (phi,) * shapes.elements) for phi in (0.0, 1.0))
        first = _Samples.of(rigid)
        second = _Samples.of(soft).less(first)
        elements, mouth = shapes.elements, soft.shear(0.0)
    else:
        whole = _Samples.of(shapes)
        second = whole.of_shear(shapes)
        first, elements = whole.less(second), 0
    at_mouth = ca.DM(np.concatenate([np.zeros_like(mouth), mouth]))
    return ShearingShapes(first.stacked(second).integrals(np.concatenate([angles, angles]), at_mouth), ratio, elements)


@dataclass(frozen=True, eq=False)
class _Samples:
    """Functions at `points` Gauss points of each panel between `bounds`, and last at the tip: (n, k + 1)."""

    points: int
    bounds: np.ndarray
    xi: np.ndarray
    w: np.ndarray
    deflection: np.ndarray
    slope: np.ndarray
    rotation: np.ndarray
    strain: np.ndarray

    @classmethod
    def of(cls, shapes: Shapes) -> _Samples:
        xi, w = shapes.quadrature()
        functions = shapes.deflection, shapes.slope, shapes.rotation, shapes.strain
        return cls(shapes.points, shapes.bounds, xi, w, *(function(np.append(xi, 1.0)) for function in functions))

    def less(self, other: _Samples) -> _Samples:
        return self._with(*(a - b for a, b in zip(self._functions, other._functions, strict=True)))

    def stacked(self, other: _Samples) -> _Samples:
        return self._with(*(np.concatenate(pair) for pair in zip(self._functions, other._functions, strict=True)))

    def of_shear(self, shapes: Shapes) -> _Samples:
        """Return what shear contributes: deflections that are the integrals of the shear strains."""
        strain = shapes.shear(np.append(self.xi, 1.0))
        nothing = np.zeros_like(strain)
        return self._with(self._integral(strain[:, :-1]), strain, nothing, nothing)

    def integrals(self, angles: np.ndarray, mouth: ca.DM) -> SlidingShapes:
        xi, w, grown = self.xi, self.w, angles[:, None]
        phi, slope, rotation, strain = (values[:, :-1] for values in self._functions)
        psi = (1 - xi) * slope + grown * phi
        gamma = slope - rotation
        bend, ease = ((1 - xi) * differentiated(e, self.points, self.bounds) for e in (strain, gamma))
        bend, ease = bend + (grown - 2) * strain, ease + (grown - 1) * gamma
        tip = ca.DM(self.deflection[:, -1]), ca.DM(self.rotation[:, -1])
        stiffness, flexing, flexed = (ca.DM((a * w) @ b.T) for a, b in ((gamma, gamma), (gamma, ease), (ease, ease)))
        forms = StrainForms(stiffness, flexing, flexed, mouth)
        return replace(cleaned(integrated(phi, psi, strain, bend, xi, w, *tip), angles), shear=forms)

    @property
    def _functions(self) -> tuple[np.ndarray, ...]:
        return self.deflection, self.slope, self.rotation, self.strain

    def _with(self, *functions: np.ndarray) -> _Samples:
        return _Samples(self.points, self.bounds, self.xi, self.w, *functions)

    def _integral(self, values: np.ndarray) -> np.ndarray:
        """Return the integrals from 0 of functions (n, k), as polynomials on each panel; last those to the tip."""
        nodes, _ = legendre.leggauss(self.points)
        inverse = np.linalg.inv(legendre.legvander(nodes, self.points - 1))
        primitives = legendre.legvander(nodes, self.points) @ legendre.legint(np.eye(self.points), lbnd=-1)
        half = np.diff(self.bounds)[None, :, None] / 2
        pieces = values.reshape(len(values), half.size, self.points)
        inside = np.einsum("pq,nbq->nbp", primitives @ inverse, pieces) * half
        gains = (values * self.w).reshape(pieces.shape).sum(axis=2)
        before = np.cumsum(gains, axis=1) - gains
        return np.column_stack([(inside + before[:, :, None]).reshape(values.shape), gains.sum(axis=1)])


def _combined(forms: Forms, share: ca.SX, change: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Return integrals of f f, f g and g g of functions C'f, with the rates C'g + l dC'/dl f, from those of f and g."""
    still, mixed, moved = forms
    crossed = change.T @ (mixed @ share)
    both = share.T @ (moved @ share) + crossed + crossed.T + change.T @ (still @ change)
    return share.T @ (still @ share), share.T @ (mixed @ share + still @ change), both
