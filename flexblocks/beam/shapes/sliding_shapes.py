"""Shape functions of an axially moving beam, and the integrals that its energies are made of.

The shapes are functions of xi = x/l on the part of length l that is out. A particle of the beam keeps its distance from
the tip, so xi moves at (1 - xi) l'/l: with amplitudes a_i the deflection of a particle changes at
sum phi_i a_i' + psi_i a_i l'/l, where psi = (1 - xi) dphi/dxi + l dphi/dl holds the change of the shape itself too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca
import numpy as np

from flexblocks.beam.shapes.shape_functions import Shapes

Matrix = ca.SX | ca.DM
ROUNDING = 1e-12


# Integrals that the kinetic energy is made of.
OF_INERTIA = ("mean", "moment", "drift", "swing", "mass", "coupling", "change")


@dataclass(frozen=True)
class StrainForms:
    """Integrals (n, n) over xi of e_i e_j, e_i h_j and h_i h_j; h_j is the rate of the strain e_j at a particle.

    Of strains e_i a_i/l^k it is h_i a_i l'/l^(k+1) while the amplitudes rest. At the mouth of the hub, xi = 0, the
    strains are `mouth` (n, 1).
    """

    stiffness: Matrix
    flexing: Matrix
    flexed: Matrix
    mouth: Matrix


@dataclass(frozen=True)
class SlidingShapes:
    """Integrals over xi from 0 to 1, and values at the tip, all dimensionless; DM where they are constant, else SX.

    Attributes
    ----------
    mean, moment : (n, 1)
        of phi_i and xi phi_i.
    drift, swing : (n, 1)
        of psi_i and xi psi_i - phi_i.
    mass, coupling, change : (n, n)
        of phi_i phi_j, phi_i psi_j and psi_i psi_j.
    stiffness, flexing, flexed : (n, n)
        of phi_i'' phi_j'', phi_i'' psi_j'' and psi_i'' psi_j''; between nodes, where curvatures of elements jump.
    value, slope : (n, 1)
        phi_i and the rotation of the section at the tip; without shear dphi_i/dxi.
    shear : StrainForms or None
        Of the shear strains dphi_i/dxi less the rotations; None where sections stay normal to the axis.

    Functions of torsion are such shapes as well, angles in place of deflections: with the strains phi_i' in
    `stiffness`, `flexing` and `flexed`.
    """

    mean: Matrix
    moment: Matrix
    drift: Matrix
    swing: Matrix
    mass: Matrix
    coupling: Matrix
    change: Matrix
    stiffness: Matrix
    flexing: Matrix
    flexed: Matrix
    value: Matrix
    slope: Matrix
    shear: StrainForms | None = None

    def times(self, density: float | ca.SX) -> SlidingShapes:
        """Return the integrals that inertia is made of times a density; where both are numbers it costs nothing."""
        return replace(self, **{name: getattr(self, name) * density for name in OF_INERTIA})


def constant_shapes(shapes: Shapes, angles: np.ndarray, flexes: bool = False) -> SlidingShapes:
    """Return the integrals of shapes that stretch with the beam and change no further.

    Where `angles` (n,) is 1 the coordinate is an angle, its amplitude the angle times l: its shape grows with the beam.
    Without `flexes`, `flexing` and `flexed` are empty; with it shapes need third derivatives.
    """
    return cleaned(stretching(shapes, angles, flexes), angles)


def stretching(shapes: Shapes, angles: np.ndarray, flexes: bool = False) -> SlidingShapes:
    """Return the same as they come from quadrature, over a part of the beam if `shapes` are restricted to one."""
    xi, w = shapes.quadrature()
    phi, slope, curvature = (shapes.derivative(xi, order) for order in range(3))
    psi = (1 - xi) * slope + angles[:, None] * phi
    tip = ca.DM(shapes.deflection(1.0)), ca.DM(shapes.slope(1.0))
    bend = (1 - xi) * shapes.derivative(xi, 3) - (2 - angles[:, None]) * curvature if flexes else 0 * curvature
    return integrated(phi, psi, curvature, bend, xi, w, *tip)


def twisting_shapes(shapes: Shapes) -> SlidingShapes:
    """Return the integrals of functions of torsion that stretch with the beam and change no further."""
    return cleaned(twisting(shapes), np.zeros(shapes.size))


def twisting(shapes: Shapes) -> SlidingShapes:
    """Return the same as they come from quadrature, over a part of the beam if `shapes` are restricted to one."""
    xi, w = shapes.quadrature()
    phi, strain = shapes.deflection(xi), shapes.strain(xi)
    turn = ca.DM(shapes.deflection(1.0))
    eased = (1 - xi) * differentiated(strain, shapes.points, shapes.bounds) - strain
    return integrated(phi, (1 - xi) * strain, strain, eased, xi, w, turn, turn)


def differentiated(values: np.ndarray, points: int, bounds: np.ndarray) -> np.ndarray:
    """Return the derivatives (n, k) of functions from their values at Gauss points of each panel, as polynomials."""
    nodes, _ = np.polynomial.legendre.leggauss(points)
    vandermonde = np.polynomial.legendre.legvander(nodes, points - 1)
    slopes = np.polynomial.legendre.legder(np.eye(points))
    matrix = np.polynomial.legendre.legvander(nodes, points - 2) @ slopes @ np.linalg.inv(vandermonde)
    pieces = np.einsum("pq,nbq->nbp", matrix, values.reshape(len(values), len(bounds) - 1, points))
    return (pieces * (2 / np.diff(bounds))[None, :, None]).reshape(values.shape)


def cleaned(integrals: SlidingShapes, angles: np.ndarray) -> SlidingShapes:
    """Return integrals of shapes that change no further, without rounding."""
    # Integrated by parts, so that integrals that are equal are so to the last digit and share their operations.
    grown = ca.DM(np.diag(angles))
    mean, moment, mass = _clean(integrals.mean), _clean(integrals.moment), _clean(integrals.mass)
    turning = integrals.coupling - mass @ grown
    return replace(
        integrals,
        mean=mean,
        moment=moment,
        drift=_clean(mean + grown @ mean),
        swing=_clean(2 * (moment - mean) + grown @ moment),
        mass=mass,
        coupling=_clean(mass / 2 + (turning - turning.T) / 2 + mass @ grown),
        change=_clean(integrals.change),
        stiffness=_clean(integrals.stiffness),
        flexing=_clean(integrals.flexing),
        flexed=_clean(integrals.flexed),
        value=_clean(integrals.value),
        slope=_clean(integrals.slope),
    )


def integrated(
    phi: np.ndarray,
    psi: np.ndarray,
    curvature: np.ndarray,
    bend: np.ndarray,
    xi: np.ndarray,
    w: np.ndarray,
    value: Matrix,
    slope: Matrix,
) -> SlidingShapes:
    """Return the integrals of functions from their values (n, k) at k points."""
    of_shape, of_drift, strain, rate = (ca.DM(values) for values in (phi, psi, curvature, bend))
    weights, along = ca.DM(np.diag(w)), ca.DM(w * xi)
    return SlidingShapes(
        mean=ca.mtimes(of_shape, ca.DM(w)),
        moment=ca.mtimes(of_shape, along),
        drift=ca.mtimes(of_drift, ca.DM(w)),
        swing=ca.mtimes(of_drift, along) - ca.mtimes(of_shape, ca.DM(w)),
        mass=ca.mtimes([of_shape, weights, of_shape.T]),
        coupling=ca.mtimes([of_shape, weights, of_drift.T]),
        change=ca.mtimes([of_drift, weights, of_drift.T]),
        stiffness=ca.mtimes([strain, weights, strain.T]),
        flexing=ca.mtimes([strain, weights, rate.T]),
        flexed=ca.mtimes([rate, weights, rate.T]),
        value=value,
        slope=slope,
    )


def _clean(constants: Matrix) -> ca.DM:
    """Return constants with rounding removed: a zero or a whole number costs fewer operations."""
    array = ca.DM(constants).full()
    array = np.where(np.abs(array) < ROUNDING * np.abs(array).max(initial=0.0), 0.0, array)
    whole = np.round(array)
    return ca.sparsify(ca.DM(np.where(np.abs(array - whole) < ROUNDING, whole, array)))
