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
        phi_i and dphi_i/dxi at the tip.
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


def constant_shapes(shapes: Shapes, angles: np.ndarray, flexes: bool = False) -> SlidingShapes:
    """Return the integrals of shapes that stretch with the beam and change no further.

    Where `angles` (n,) is 1 the coordinate is an angle, its amplitude the angle times l: its shape grows with the beam.
    Without `flexes`, `flexing` and `flexed` are empty; with it shapes need third derivatives.
    """
    xi, w = shapes.quadrature()
    phi, slope, curvature = (shapes.derivative(xi, order) for order in range(3))
    psi = (1 - xi) * slope + angles[:, None] * phi
    tip = ca.DM(shapes.deflection(1.0)), ca.DM(shapes.slope(1.0))
    bend = (1 - xi) * shapes.derivative(xi, 3) - (2 - angles[:, None]) * curvature if flexes else 0 * curvature
    integrals = _integrated(ca.DM(phi), ca.DM(psi), ca.DM(curvature), ca.DM(bend), xi, w, *tip)
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


def _integrated(
    phi: Matrix,
    psi: Matrix,
    curvature: Matrix,
    bend: Matrix,
    xi: np.ndarray,
    w: np.ndarray,
    value: Matrix,
    slope: Matrix,
) -> SlidingShapes:
    weights, along = ca.DM(np.diag(w)), ca.DM(w * xi)
    return SlidingShapes(
        mean=ca.mtimes(phi, ca.DM(w)),
        moment=ca.mtimes(phi, along),
        drift=ca.mtimes(psi, ca.DM(w)),
        swing=ca.mtimes(psi, along) - ca.mtimes(phi, ca.DM(w)),
        mass=ca.mtimes([phi, weights, phi.T]),
        coupling=ca.mtimes([phi, weights, psi.T]),
        change=ca.mtimes([psi, weights, psi.T]),
        stiffness=ca.mtimes([curvature, weights, curvature.T]),
        flexing=ca.mtimes([curvature, weights, bend.T]),
        flexed=ca.mtimes([bend, weights, bend.T]),
        value=value,
        slope=slope,
    )


def _clean(constants: Matrix) -> ca.DM:
    """Return constants with rounding removed: a zero or a whole number costs fewer operations."""
    array = ca.DM(constants).full()
    array = np.where(np.abs(array) < ROUNDING * np.abs(array).max(initial=0.0), 0.0, array)
    whole = np.round(array)
    return ca.sparsify(ca.DM(np.where(np.abs(array - whole) < ROUNDING, whole, array)))
