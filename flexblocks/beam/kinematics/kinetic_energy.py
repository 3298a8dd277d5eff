"""Kinetic energy of a beam's axis, by constant shape integrals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.beam.kinematics.mass_moments import MassMoments
from flexblocks.beam.properties.profile import UNIFORM, Profile
from flexblocks.beam.properties.quadrature import gauss_legendre, panels
from flexblocks.beam.shapes.shape_functions import overlap
from flexblocks.beam.shapes.shape_integrals import DiscretizedDeformation
from flexblocks.interfaces import Frame

# Gauss points on each smooth piece of a beam whose density varies: 9 full waves are integrated within 1e-12.
POINTS = 48
# Share within which a constant is a whole number: sixteen roundings, which roots and norms of modes leave.
WHOLE = 16 * 2.0**-52


def kinetic_energy(
    chord: Frame,
    mass: float | ca.SX,
    length: float | ca.SX,
    planes: Mapping[str, DiscretizedDeformation],
    q: Mapping[str, ca.SX],
    s: Mapping[str, ca.SX],
    moments: tuple[float, float, float] = (1.0, 1 / 2, 1 / 3),
) -> ca.SX:
    """Return the kinetic energy [J] of a beam whose mass is on its axis.

    Parameters
    ----------
    chord : Frame
        Frame in which the deflection is measured: x along the undeformed beam, origin at the root.
    mass, length : float or SX
        [kg], [m]
    planes : dict of DiscretizedDeformation
        By axis of deflection, ``"y"`` and/or ``"z"``; ``"x"`` shifts points along the beam.
    q, s : dict of SX
        Amplitudes of the shapes [m] and their rates, by the same axes.
    moments : tuple of 3 floats
        Mass of the straight beam and its first and second moment, in units of m, m l and m l^2; by default a uniform
        one's. Those of a piece go with the integrals of the shapes over that piece.

    Notes
    -----
    P(x) = (x + u, v, w) is a point of the beam in the chord frame, P' its rate there; see `MassMoments`.
    """
    return beam_moments(mass, length, planes, q, s, moments).kinetic_energy(chord)


def beam_moments(
    mass: float | ca.SX,
    length: float | ca.SX,
    planes: Mapping[str, DiscretizedDeformation],
    q: Mapping[str, ca.SX],
    s: Mapping[str, ca.SX],
    moments: tuple[float, float, float] = (1.0, 1 / 2, 1 / 3),
) -> MassMoments:
    """Return the mass moments of a beam whose mass is on its axis; arguments as for `kinetic_energy`."""
    axes = {"x": 0, "y": 1, "z": 2}
    # The moments of the straight beam.
    first, drift = ca.SX(3, 1), ca.SX(3, 1)
    first[0] = mass * length * moments[1]
    second, flow = ca.SX(3, 3), ca.SX(3, 3)
    second[0, 0] = mass * length**2 * moments[2]
    # What each deformation adds, and each pair of them.
    relative = ca.SX(1, 1)
    for axis, plane in planes.items():
        i, integrals = axes[axis], plane.integrals
        first[i] += dot(integrals.mean, q[axis], mass)
        drift[i] = dot(integrals.mean, s[axis], mass)
        from_root = dot(integrals.moment, q[axis], mass * length)
        second[0, i] += from_root
        second[i, 0] += from_root
        flow[0, i] += dot(integrals.moment, s[axis], mass * length)
        # Sums of squares, whose derivatives share the terms that are squared; functions of the foreshortening may be
        # dependent, so that they have no such form.
        root = MassRoot.of(plane, mass) if axis != "x" else None
        for other, partner in planes.items():
            j = axes[other]
            if plane is partner and root is not None:
                second[i, j] += root.product(q[axis], q[other])
                if i != j:
                    flow[i, j] += root.moving(q[axis], s[other])
            elif i == j:
                second[i, i] += quadratic_form(q[axis], integrals.mass, mass)
            else:
                common = plane_overlap(plane, partner)
                second[i, j] += bilinear_form(q[axis], common, q[other], mass)
                flow[i, j] += bilinear_form(q[axis], common, s[other], mass)
        square = quadratic_form(s[axis], integrals.mass, mass) if root is None else root.product(s[axis], s[axis])
        relative += square
    return MassMoments(mass * moments[0], first, drift, second, flow, relative)


def dot(constants: np.ndarray | ca.SX, vector: ca.SX, scale: float | ca.SX = 1.0) -> ca.SX:
    """Return scale * constants . vector for constants (n,) and a column (n, 1); a numeric scale costs nothing.

    What takes the place of constants may follow a symbol, SX (n, 1).

    Where all entries share a constant they are added before they are multiplied. What is whole but for rounding, as
    the deflections of modes at a free tip, is whole.
    """
    if isinstance(constants, ca.SX):
        return scale * (constants.T @ vector) if constants.numel() else ca.SX(1, 1)
    if not len(constants):
        return ca.SX(1, 1)
    whole = np.round(constants)
    constants = np.where(np.abs(constants - whole) <= WHOLE * np.abs(whole), whole, constants)
    sizes = np.unique(np.abs(constants[constants != 0]))
    if len(sizes) != 1:
        return (ca.sparsify(ca.DM(constants)) * scale).T @ vector
    return (float(sizes[0]) * scale) * (ca.sparsify(ca.DM(np.sign(constants))).T @ vector)


def bilinear_form(left: ca.SX, constants: np.ndarray, right: ca.SX, scale: float | ca.SX = 1.0) -> ca.SX:
    """Return scale * left^T constants right; zeros in the constants and a numeric scale cost nothing."""
    return left.T @ ((ca.sparsify(ca.DM(constants)) * scale) @ right) if constants.size else ca.SX(1, 1)


def quadratic_form(vector: ca.SX, constants: np.ndarray, scale: float | ca.SX = 1.0) -> ca.SX:
    """Return scale * vector^T constants vector for symmetric constants, from one triangle of them."""
    return bilinear_form(vector, 2 * np.triu(constants) - np.diag(np.diag(constants)), vector, scale)


@dataclass(frozen=True, eq=False)
class MassRoot:
    """Square root of the mass matrix of shapes: mass * matrix^T matrix."""

    matrix: ca.DM
    mass: float | ca.SX

    @staticmethod
    def of(plane: DiscretizedDeformation, mass: float | ca.SX) -> MassRoot | None:
        """Return the root for a beam of this mass [kg].

        None without shapes, or where they are dependent, as at a cut at the tip, beyond which there is no mass.
        """
        if not plane.shapes.size:
            return None
        try:
            root = np.linalg.cholesky(plane.integrals.mass).T
        except np.linalg.LinAlgError:
            return None
        return MassRoot(ca.sparsify(ca.DM(root)), mass)

    def product(self, left: ca.SX, right: ca.SX) -> ca.SX:
        """Return left^T M right; of one vector as a sum of squares."""
        terms = self.matrix @ left
        return self.mass * ca.dot(terms, terms if left is right else self.matrix @ right)

    def moving(self, left: ca.SX, rates: ca.SX) -> ca.SX:
        """Return left^T M rates, whose derivatives in the rates take no operation for the mass."""
        return ca.dot(self.matrix @ left, (self.mass * self.matrix) @ rates)


def plane_overlap(first: DiscretizedDeformation, second: DiscretizedDeformation) -> np.ndarray:
    """Return the integral of mu phi_i psi_j between the shapes of two planes (or of one with itself)."""
    same = first is second
    return first.integrals.mass if same else overlap(first.shapes, second.shapes, first.profiles.density)


def mass_moments(density: Profile, start: float = 0.0, end: float = 1.0) -> tuple[float, float, float]:
    """Return the mass of a piece of a beam and its first and second moment about the inner end.

    In units of the beam's mass and of the length of the piece; of a uniform beam 1/2 and 1/3 of its mass.
    """
    share = end - start
    if density == UNIFORM:
        return share, 1 / 2, 1 / 3
    inner = [(place - start) / share for place in density.breaks if start < place < end]
    s, w = gauss_legendre(POINTS, panels(inner))
    w = w * density(start + share * s)
    mass = float(w.sum())
    return share * mass, float(w @ s) / mass, float(w @ s**2) / mass
