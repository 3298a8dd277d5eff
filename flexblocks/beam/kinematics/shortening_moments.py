"""Mass moments of a beam that foreshortens as it bends, as polynomials of the amplitudes of bending.

With the integrals X_ij(x) of phi_i' phi_j' its points move along the beam by u = -a.Xa/(2 l), at the rate -a.Xs/l for
rates s of the amplitudes a. All integrals are polynomials of a with constants: with R = int (Xa)(Xa)^T dm/l^2, that of
the square of the rate is s.Rs, and that of u^2 is a.Ra/4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import casadi as ca
import numpy as np

from flexblocks.beam.kinematics.kinetic_energy import bilinear_form, dot, plane_overlap
from flexblocks.beam.kinematics.mass_moments import MassMoments
from flexblocks.beam.shapes.shape_functions import alike, without_rounding
from flexblocks.beam.shapes.shape_integrals import DiscretizedDeformation


@dataclass(frozen=True, eq=False)
class ShorteningMoments:
    """What the foreshortening adds to the moments of a beam.

    Attributes
    ----------
    plane : DiscretizedDeformation
        With the functions chi_r of the place, X = sum chi_r C_r.
    forms : ndarray (r, n, n)
        The C_r, for the n amplitudes of bending in all planes, one plane after the other.
    bent : dict of DiscretizedDeformation
        By plane, in this order.
    q, s : dict of SX
        Amplitudes of bending [m] and their rates, by the same names.
    mass, length : float or SX
        [kg], [m]
    """

    plane: DiscretizedDeformation
    forms: np.ndarray
    bent: Mapping[str, DiscretizedDeformation]
    q: Mapping[str, ca.SX]
    s: Mapping[str, ca.SX]
    mass: float | ca.SX
    length: float | ca.SX

    def added(self, moments: MassMoments) -> MassMoments:
        """Return the moments of the beam with those of its foreshortening."""
        integrals = self.plane.integrals
        first, drift, second, flow = (
            ca.SX(each) for each in (moments.first, moments.drift, moments.second, moments.flow)
        )
        first[0] += self._along(integrals.mean, self.mass)
        drift[0] += self._rate(integrals.mean)
        of_rates = self._of_rates
        second[0, 0] = self._squared(second)
        start = 0
        for axis, plane in self.bent.items():
            i, size = "xyz".index(axis), plane.shapes.size
            third = alike(np.tensordot(plane_overlap(self.plane, plane), self.forms, (0, 0)))  # (size, n, n)
            across = sum((self.q[axis][k] * self._along_by(third[k], self.mass) for k in range(size)), ca.SX(1, 1))
            second[0, i] += across
            second[i, 0] += across
            flow[0, i] += self._flow(third, start)
            start += size
        relative = moments.relative + ca.dot(self._rates, of_rates @ self._rates)
        return replace(moments, first=first, drift=drift, second=second, flow=flow, relative=relative)

    @cached_property
    def _amplitudes(self) -> ca.SX:
        return ca.vertcat(*[self.q[axis] for axis in self.bent])

    @cached_property
    def _rates(self) -> ca.SX:
        return ca.vertcat(*[self.s[axis] for axis in self.bent])

    @cached_property
    def _pairs(self) -> list[tuple[int, int]]:
        return list(zip(*(each.tolist() for each in np.triu_indices(self._amplitudes.numel())), strict=True))

    @cached_property
    def _products(self) -> ca.SX:
        """Products of two amplitudes, those of two different ones twice.

        Coefficients of forms are then the entries of symmetric matrices, of which many are the same number.
        """
        a = self._amplitudes
        # (2 a) b, since CasADi would put the 2 of 2 (a b) into each coefficient again.
        products = [a[i] * a[k] if i == k else (2 * a[i]) * a[k] for i, k in self._pairs]
        return ca.vertcat(*products, ca.SX(0, 1))

    def _coefficients(self, constants: np.ndarray) -> np.ndarray:
        """Return the coefficients of the products in a' constants a."""
        return np.array([(constants[i, k] + constants[k, i]) / 2 for i, k in self._pairs])

    def _form(self, constants: np.ndarray, scale: float | ca.SX) -> ca.SX:
        """Return scale * a' constants a."""
        return dot(self._coefficients(constants), self._products, scale)

    def _squared(self, second: ca.SX) -> ca.SX:
        """Return the integral of (x + u)^2: of x^2, of 2 x u, and of u^2, which is a.Ra/4.

        As the sum over products of amplitudes p of p (c + R/4), with the entries of R. A beam that bends in one plane
        turns by this and the integral of v^2 together, whose products are the same: those are added to the c, and taken
        off again where this alone is wanted.
        """
        form = np.tensordot(self.plane.integrals.moment, self.forms, 1)
        along = self._coefficients(form) * (-4.0 * self.mass)
        (axis, bent), *others = self.bent.items()
        i, across = "xyz".index(axis), self._coefficients(bent.integrals.mass) if not others else None
        if across is not None:
            along = along + across * (4.0 * self.mass)
        rates = ca.vertcat(*[self._of_rates[j, k] for j, k in self._pairs])
        whole = second[0, 0] + ca.dot(self._products, ca.SX(along) + rates) / 4
        return whole - second[i, i] if across is not None else whole

    def _along(self, of_shapes: np.ndarray, scale: float | ca.SX) -> ca.SX:
        """Return scale times the integral of u with a weight, from the integrals (r,) of the chi_r with it."""
        return self._along_by(np.tensordot(of_shapes, self.forms, 1), scale)

    def _along_by(self, form: np.ndarray, scale: float | ca.SX) -> ca.SX:
        return self._form(form, -scale / (2 * self.length))

    def _rate(self, of_shapes: np.ndarray) -> ca.SX:
        """Return the mass times the integral of u'."""
        form = np.tensordot(of_shapes, self.forms, 1)
        return bilinear_form(self._amplitudes, form, self._rates, -self.mass / self.length)

    @cached_property
    def _of_rates(self) -> ca.SX:
        """R (n, n)."""
        fourth = np.einsum("rs,rij,skl->ijkl", self.plane.integrals.mass, self.forms, self.forms, optimize=True)
        fourth = alike(without_rounding(fourth, np.full_like(fourth, np.abs(fourth).max(initial=0.0))))
        n = self._amplitudes.numel()
        R = ca.SX(n, n)
        for j in range(n):
            for k in range(j, n):
                R[j, k] = R[k, j] = self._form(fourth[:, j, :, k], self.mass / self.length**2)
        return ca.sparsify(R)

    def _flow(self, third: np.ndarray, start: int) -> ca.SX:
        """Return the integral of u v' - u' v, from those of X phi_k (m, n, n), phi_k the functions from `start` on."""
        total, (size, n, _) = ca.SX(1, 1), third.shape
        for k in range(n):
            form = np.zeros((n, n))
            # By the rate k: -u' v is 1/l sum X_ik a_i phi_j a_j, u v' is -1/(2 l) a.Xa phi_k.
            form[start : start + size] += 2 * third[:, :, k]
            if start <= k < start + size:
                form -= third[k - start]
            form = without_rounding(form, np.full_like(form, np.abs(third).max(initial=0.0)))
            total += self._form(form, self.mass / (2 * self.length)) * self._rates[k]
        return total
