"""Rayleigh's dissipation function of an axially moving beam: of its material, and of its modes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.beam.kinematics.slide import Slide, squared_strain_rate
from flexblocks.beam.shapes.clamped_mass_modes import RelativeTip
from flexblocks.beam.shapes.shape_integrals import DiscretizedDeformation
from flexblocks.beam.shapes.sliding_shapes import SlidingShapes

Number = float | ca.SX


@dataclass(frozen=True, eq=False)
class SlidingRates:
    """How the part of a beam outside the hub bends, and how fast.

    Attributes
    ----------
    slide : Slide
    rigidity : dict of float or SX
        EI [N m2] by axis of deflection.
    shear_rigidity : dict of float or SX
        kappa G A [N] by axis; empty where sections stay normal to the axis.
    amplitudes, speeds : dict of SX
        Amplitudes of the shapes [m] by axis, and their rates while the beam does not slide.
    """

    slide: Slide
    rigidity: Mapping[str, Number]
    shear_rigidity: Mapping[str, Number]
    amplitudes: Mapping[str, ca.SX]
    speeds: Mapping[str, ca.SX]

    def of_material(self, shapes: Mapping[str, SlidingShapes], damping_time: Number) -> ca.SX:
        """Return the dissipation [W] of stress E (strain + damping_time * rate of strain), Kelvin and Voigt.

        The rate of a particle's curvature is sum phi_i'' a_i'/l^2 + psi_i'' a_i l'/l^3. It is that of particles
        outside: what those dissipate that pass the mouth of the hub, where the curvature jumps, is left out.

        Parameters
        ----------
        shapes : dict of SlidingShapes
            By axis.
        damping_time : float or SX
            [s]
        """
        out, total = self.slide.extension, ca.SX(1, 1)
        for axis, b in self.speeds.items():
            moved = self.slide.moved(self.amplitudes[axis])
            total += self.rigidity[axis] / (2 * out**3) * damping_time * squared_strain_rate(shapes[axis], b, moved)
            if shear := shapes[axis].shear:
                total += self.shear_rigidity[axis] / (2 * out) * damping_time * squared_strain_rate(shear, b, moved)
        return total

    def of_modes(self, critical: Mapping[str, ca.SX], damping_ratio: Number, linear_density: Number) -> ca.SX:
        """Return the dissipation [W] of modal damping, a share of the matrices `critical` (n, n) by axis.

        They are in units of sqrt(mass * stiffness) of the part outside, which is sqrt(rho A EI)/l.
        """
        total = ca.SX(1, 1)
        for axis, b in self.speeds.items():
            unit = damping_ratio * ca.sqrt(linear_density * self.rigidity[axis]) / self.slide.extension
            total += unit / 2 * (b.T @ (critical[axis] @ b))
        return total


def critical_of_following(roots: ca.SX, shapes: SlidingShapes) -> ca.SX:
    """Return the matrix (n, n) that damps modes which follow the extension critically: 2 K_i/b_i^2."""
    return ca.diag(2 * ca.diag(shapes.stiffness) / roots**2)


def critical_of_shearing(shapes: SlidingShapes, tip: RelativeTip, ratio: Number) -> ca.SX:
    """Return the matrix (n, n) that damps modes critically which follow the extension of a beam that shears.

    They are coupled a little, by mass and by stiffness. Of coupled modes the matrix is 2 M sqrt(M^-1 K), of which this
    is the first order in what couples them; M includes the body `tip`, and `ratio` is EI/(kappa G A l^2).
    """
    assert shapes.shear is not None
    value, slope = shapes.value, shapes.slope
    coupled = value @ slope.T
    mass = shapes.mass + tip.mass * (value @ value.T) + tip.inertia * (slope @ slope.T)
    mass = mass + tip.static_moment * (coupled + coupled.T)
    stiffness = shapes.stiffness + shapes.shear.stiffness / ratio
    omega = ca.sqrt(ca.diag(stiffness) / ca.diag(mass))
    n = omega.numel()
    rows = [
        [2 * (stiffness[i, j] + omega[i] * omega[j] * mass[i, j]) / (omega[i] + omega[j]) for j in range(n)]
        for i in range(n)
    ]
    return ca.blockcat(rows)


def critical_of_fixed(plane: DiscretizedDeformation, tip: RelativeTip) -> ca.SX:
    """Return the matrix (n, n) that damps each mode of `plane` critically, by its mass with the body `tip`.

    The modes are those with the tip body of `plane`, where the beam starts; at other extensions the same body is
    heavier or lighter beside the part outside, and each mode keeps its shape: exact at the start and for one mode,
    elsewhere up to the square of what the modes change. In torsion the tip has a mass only: its polar inertia.
    """
    if not plane.shapes.size:
        return ca.SX(0, 0)
    modes, _ = plane.modes
    value, slope = (ca.DM(end @ modes) for end in (plane.shapes.deflection(1.0), plane.shapes.rotation(1.0)))
    mass = ca.DM(np.einsum("ik,ij,jk->k", modes, plane.mass, modes))
    mass = mass + tip.mass * value**2 + 2 * tip.static_moment * (value * slope) + tip.inertia * slope**2
    forces = modes.T @ plane.stiffness
    # What couples modes by less than 1e-9 is rounding of the eigenvectors.
    forces = ca.sparsify(ca.DM(np.where(np.abs(forces) < 1e-9 * np.abs(forces).max(), 0.0, forces)))
    return ca.sparsify(forces.T @ ca.diag(2 * ca.sqrt(ca.SX(mass))) @ forces)
