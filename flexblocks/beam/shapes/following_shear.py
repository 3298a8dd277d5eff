"""Clamped-mass modes that follow the extension of a beam that is flexible in shear, and their integrals.

The rotations of sections are the slopes phi_i' of the modes without shear, and shear strains those of sections in
balance, -lambda phi_i''' with lambda = EI/(kappa G A l^2): deflections are phi_i - lambda (phi_i'' - phi_i''(0)). Of a
slender beam these are its modes up to lambda^2 b^4. The integrals of phi_i are those of `following_modes`; those with
phi_i'' are sums over Gauss points.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.beam.properties.quadrature import gauss_legendre
from flexblocks.beam.shapes.clamped_mass_modes import RelativeTip, clamped_pair
from flexblocks.beam.shapes.following_modes import clamped_mass_shapes, following_ends
from flexblocks.beam.shapes.mode_ends import TERMS, ModeEnds, is_series
from flexblocks.beam.shapes.sliding_shapes import Matrix, SlidingShapes, StrainForms
from flexblocks.beam.shapes.sliding_shear import ShearingShapes
from flexblocks.interfaces import Local


def shearing_following_shapes(
    roots: ca.SX, tip: RelativeTip, local: Local, extension: str, start: np.ndarray, start_tip: RelativeTip
) -> ShearingShapes:
    """Return the integrals of both sets of functions; arguments as for `clamped_mass_shapes`."""
    plain = clamped_mass_shapes(roots, tip, local, extension, start, start_tip)
    out, n = local[extension], roots.numel()

    def change(expression: ca.SX) -> ca.SX:
        """Return l times the derivative in the extension l."""
        return ca.reshape(out * local.slope(ca.vec(ca.densify(expression)), extension), *expression.shape)

    # 11 points for one mode and 14 for two give all integrals within 1e-13.
    xi, w = gauss_legendre(8 + 3 * n)
    ends = following_ends(roots, tip, local, start, start_tip)
    modes = [
        _Mode(local.intermediate(f"points[{i + 1}]", _values(i, b, at, end, xi), order=1), end.clamp[0], b)
        for i, (b, at, end) in enumerate(zip(ca.vertsplit(roots), start.tolist(), ends, strict=True))
    ]
    inward = ca.DM(1 - xi)
    phi, chi = (ca.vertcat(*[getattr(mode, name).T for mode in modes]) for name in ("phi", "chi"))
    of_phi = [(inward * mode.slope + change(mode.phi)).T for mode in modes]
    of_chi = [(-inward * mode.third + change(mode.chi)).T for mode in modes]
    strain = ca.vertcat(*[-mode.third.T for mode in modes])
    rate = [(mode.third - inward * mode.root**4 * mode.phi - change(mode.third)).T for mode in modes]
    functions, psi = ca.vertcat(phi, chi), ca.vertcat(*of_phi, *of_chi)

    def integral(name: str, left: ca.SX, right: ca.SX, known: Matrix, order: int = 0) -> ca.SX:
        """Return the integrals of products, of which those of phi with phi are known."""
        products = left @ (ca.repmat(ca.DM(w).T, right.shape[0], 1) * right).T
        products[:n, :n] = known
        return local.intermediate(f"sheared {name}", products, order)

    value, slope, bend = (ca.vertcat(*[end.tip[k] for end in ends]) for k in range(3))
    clamp = ca.vertcat(*[end.clamp[0] for end in ends])
    mean, moment = clamp - slope, clamp / 2 + value - slope
    nothing = ca.SX(n, n)
    return ShearingShapes(
        both=SlidingShapes(
            mean=ca.vertcat(plain.mean, mean),
            moment=ca.vertcat(plain.moment, moment),
            drift=ca.vertcat(plain.drift, mean + change(mean)),
            swing=ca.vertcat(plain.swing, 2 * (moment - mean) + change(moment)),
            mass=integral("mass", functions, functions, plain.mass, order=1),
            coupling=integral("coupling", functions, psi, plain.coupling),
            change=integral("change", psi, psi, plain.change),
            stiffness=ca.diagcat(plain.stiffness, nothing),
            flexing=ca.diagcat(plain.flexing, nothing),
            flexed=ca.diagcat(plain.flexed, nothing),
            value=ca.vertcat(value, clamp - bend),
            slope=ca.vertcat(slope, ca.SX(n, 1)),
            shear=StrainForms(
                *(
                    ca.diagcat(nothing, left @ (ca.repmat(ca.DM(w).T, n, 1) * right).T)
                    for left, right in (
                        (strain, strain),
                        (strain, ca.vertcat(*rate)),
                        (ca.vertcat(*rate), ca.vertcat(*rate)),
                    )
                ),
                mouth=ca.vertcat(ca.SX(n, 1), *[-end.clamp[1] for end in ends]),
            ),
        ),
        ratio=1.0,
        elements=0,
    )


@dataclass(frozen=True)
class _Mode:
    """A mode at k places: `values` (4 k, 1) of it and its derivatives; its curvature at the clamp, and its root."""

    values: ca.SX
    clamp: ca.SX
    root: ca.SX

    def _derivative(self, order: int) -> ca.SX:
        k = self.values.numel() // 4
        return self.values[order * k : (order + 1) * k]

    @property
    def phi(self) -> ca.SX:
        return self._derivative(0)

    @property
    def slope(self) -> ca.SX:
        return self._derivative(1)

    @property
    def third(self) -> ca.SX:
        return self._derivative(3)

    @property
    def chi(self) -> ca.SX:
        return self.clamp - self._derivative(2)


def _values(index: int, b: ca.SX, start: float, ends: ModeEnds, xi: np.ndarray) -> ca.SX:
    """Return a mode and its first three derivatives (4 k, 1) at k places, from its values at the ends."""
    bend, shear = ca.vertsplit(ends.clamp)
    if is_series(index, start):
        rows = [
            bend * _krylov(b, xi, 2 - order, TERMS[index]) + shear * _krylov(b, xi, 3 - order, TERMS[index])
            for order in range(4)
        ]
        return ca.vertcat(*rows)
    first, second = clamped_pair(b, 1.0, 0)
    P = (bend / b**2 - shear / b**3) / 4
    R = (P * first - ends.tip[0]) / second
    columns = []
    for order in range(4):
        pairs = [clamped_pair(b, place, order) for place in xi.tolist()]
        columns += [b**order * (P * one - R * two) for one, two in pairs]
    return ca.vertcat(*columns)


def _krylov(b: ca.SX, xi: np.ndarray, j: int, terms: int) -> ca.SX:
    """Return the Krylov-Duncan functions sum_k b^(4 k) xi^(4 k + j)/(4 k + j)! at places; without negative powers."""
    powers = [4 * k + j for k in range(terms + 1) if 4 * k + j >= 0]
    total = ca.SX(len(xi), 1)
    for power in powers:
        total += b ** (power - j) * ca.DM(xi**power / math.factorial(power))
    return total
