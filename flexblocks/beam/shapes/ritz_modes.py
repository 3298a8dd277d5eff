"""Natural modes of non-uniform and Timoshenko beams, and of rods, by the Ritz method.

The trial functions are strains: curvature (and shear strain) are polynomials of high degree on each piece on which the
properties are smooth. Clamping and continuity then need no conditions, jumps of the rigidity cost nothing, and a beam
that hardly shears does not lock. The error falls faster than any power of the degree.
"""

from __future__ import annotations

import numpy as np

from flexblocks.beam.properties.beam_profiles import BeamProfiles
from flexblocks.beam.properties.quadrature import panels
from flexblocks.beam.properties.tip_body import TipBody
from flexblocks.beam.shapes.strain_shapes import PiecewisePolynomials, RodStrainShapes, StrainShapes
from flexblocks.libraries import scipy

HEAVY = 1e3  # compliance under the body, times that of the beam itself, from which on the two are decoupled first
DECOUPLINGS = 8  # steps, each of which leaves no more than a thousandth


def ritz_modes(count: int, tip: TipBody, profiles: BeamProfiles) -> StrainShapes:
    """Return the first `count` modes of bending; `tip` in units of the beam.

    They are scaled to a mean square of 1, weighted with the mass, and a positive tip.
    """
    # Trial functions: polynomial curvatures, and shear strains where the beam shears.
    ends, degree = panels(profiles.breaks), _degree(count)
    curvature, none = _polynomials(ends, degree), np.zeros(((len(ends) - 1) * degree, len(ends) - 1, degree))
    sheared = none
    if profiles.shear:
        curvature, sheared = np.concatenate([curvature, none]), np.concatenate([none, curvature])
    basis = StrainShapes(PiecewisePolynomials(ends, curvature), PiecewisePolynomials(ends, sheared))
    # Mass and stiffness of the beam, then the inertia of its sections and of the tip body.
    mass = basis.product(basis.deflection, profiles.density)
    stiffness = basis.stiffness(profiles.rigidity)
    if profiles.shear:
        stiffness += profiles.shear.ratio * basis.product(basis.shear, profiles.shear.profile)
    total = mass.copy()
    if profiles.rotary:
        total += profiles.rotary.ratio * basis.product(basis.rotation, profiles.rotary.profile)
    # The lowest modes, as combinations of the trial functions.
    value = basis.deflection(1.0)
    motion = np.column_stack([value, basis.rotation(1.0)])
    body = np.array([[tip.mass, tip.static_moment], [tip.static_moment, tip.inertia]])
    modes = _scaled(_lowest(total, stiffness, motion, body, count), mass, value)
    return StrainShapes(_combined(modes, basis.curvature), _combined(modes, basis.sheared))


def rod_modes(count: int, tip: TipBody, profiles: BeamProfiles) -> RodStrainShapes:
    """Return the first `count` modes of extension or torsion, with the mass of `tip` at the end; scaled alike."""
    ends = panels(profiles.breaks)
    basis = RodStrainShapes(PiecewisePolynomials(ends, _polynomials(ends, _degree(count))))
    mass, value = basis.product(basis.deflection, profiles.density), basis.deflection(1.0)
    stiffness, body = basis.stiffness(profiles.rigidity), np.array([[tip.mass]])
    modes = _scaled(_lowest(mass, stiffness, value[:, None], body, count), mass, value)
    return RodStrainShapes(_combined(modes, basis.strained))


def _degree(count: int) -> int:
    """Return the number of polynomials on each piece."""
    # A wedge that tapers to a tenth of its height has its frequencies within 2e-10 for one mode, 1e-12 for five.
    return 16 + 3 * count


def _polynomials(ends: np.ndarray, degree: int) -> np.ndarray:
    """Return coefficients (panels * degree, panels, degree) of all functions that are one polynomial on one panel."""
    pieces = len(ends) - 1
    return np.eye(pieces * degree).reshape(pieces * degree, pieces, degree)


def _lowest(mass: np.ndarray, stiffness: np.ndarray, motion: np.ndarray, body: np.ndarray, count: int) -> np.ndarray:
    """Return the modes (n, count) of lowest frequency: the eigenvectors of the largest 1/omega^2.

    Parameters
    ----------
    mass, stiffness : ndarray (n, n)
        Of the beam alone.
    motion : ndarray (n, k)
        How the trial functions move its tip.
    body : ndarray (k, k)
        Inertia of the body there.
    count : int
    """
    # In strains the stiffness is nearly diagonal; to factorise it, and not the mass, keeps the digits of low modes.
    factor = scipy.linalg.cholesky(stiffness, lower=True)
    compliant = scipy.linalg.solve_triangular(
        factor, scipy.linalg.solve_triangular(factor, mass, lower=True).T, lower=True
    )
    # All but the first k columns of the basis leave the tip where it is: a body of a million times the mass of the
    # beam is in the first k rows alone, and does not round the others.
    basis, upper = np.linalg.qr(scipy.linalg.solve_triangular(factor, motion, lower=True), mode="complete")
    moved = motion.shape[1]
    inertia, principal = np.linalg.eigh(upper[:moved] @ body @ upper[:moved].T)
    basis[:, :moved] = basis[:, :moved] @ principal[:, ::-1]
    graded = basis.T @ ((compliant + compliant.T) / 2) @ basis
    heavy = int(np.sum(inertia > HEAVY * np.linalg.norm(graded)))
    graded[range(moved), range(moved)] += inertia[::-1]
    modes = basis @ _largest(graded, heavy, count)
    return scipy.linalg.solve_triangular(factor, modes, lower=True, trans=1)


def _largest(A: np.ndarray, heavy: int, count: int) -> np.ndarray:
    """Return the eigenvectors (n, count) of the largest eigenvalues, the first `heavy` rows being of another magnitude.

    The invariant subspace of these rows, the columns of [1; X], is that of a fixed point, which a graded matrix
    contracts to at once; the others are normal to it.
    """
    size, D = len(A), np.diag(A)[:heavy]
    X = np.zeros((size - heavy, heavy))
    for _ in range(DECOUPLINGS if heavy else 0):
        columns = np.vstack([np.eye(heavy), X])
        X = (A[heavy:] @ columns - X @ (A[:heavy] @ columns - np.diag(D))) / D
    first, rest = np.vstack([np.eye(heavy), X]), np.vstack([-X.T, np.eye(size - heavy)])
    parts = []
    for columns, wanted in ((first, min(heavy, count)), (rest, count - heavy)):
        if wanted > 0:
            among = columns.shape[1]
            _, vectors = scipy.linalg.eigh(
                columns.T @ A @ columns, columns.T @ columns, subset_by_index=(among - wanted, among - 1)
            )
            parts.append(columns @ vectors[:, ::-1])
    return np.hstack(parts)


def _scaled(modes: np.ndarray, mass: np.ndarray, tip: np.ndarray) -> np.ndarray:
    size = np.sqrt(np.einsum("ik,ij,jk->k", modes, mass, modes))
    return modes * np.where(tip @ modes < 0, -1.0, 1.0) / size


def _combined(modes: np.ndarray, basis: PiecewisePolynomials) -> PiecewisePolynomials:
    return PiecewisePolynomials(basis.ends, np.einsum("bk,bpc->kpc", modes, basis.coefficients))
