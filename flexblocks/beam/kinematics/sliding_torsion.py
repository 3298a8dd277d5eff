"""Torsion of an axially moving beam: the twist of its part outside the hub."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from flexblocks.beam.kinematics.slide import Slide, squared_strain_rate
from flexblocks.beam.shapes.sliding_shapes import SlidingShapes
from flexblocks.interfaces import Frame

Number = float | ca.SX


@dataclass(frozen=True, eq=False)
class SlidingTorsion:
    """Twists theta = sum chi_i(xi) t_i of sections about the axis, against those in the hub, which do not twist.

    Attributes
    ----------
    slide : Slide
    length, polar_inertia, rigidity : float or SX
        Of the whole beam [m]; rho I_p [kg m]; GJ [N m2].
    shapes : SlidingShapes
        Of the functions chi_i.
    angles, rates : SX (n, 1)
        t_i [rad] and their rates.

    Notes
    -----
    Sections keep their distance from the tip, so that their twist changes at sum chi_i t_i' + (1 - xi) chi_i' t_i l'/l.
    """

    slide: Slide
    length: Number
    polar_inertia: Number
    rigidity: Number
    shapes: SlidingShapes
    angles: ca.SX
    rates: ca.SX

    @property
    def tip(self) -> ca.SX:
        """The twist of the tip [rad]."""
        return ca.SX(self.shapes.value).T @ self.angles

    @cached_property
    def _moved(self) -> ca.SX:
        return self.slide.moved(self.angles)

    def kinetic(self, root: Frame) -> ca.SX:
        """Return the kinetic energy [J] of the rotation of all sections about the axis, those in the hub included."""
        return self.kinetic_of(root, self.length, self.shapes)

    def kinetic_of(self, root: Frame, size: Number, shapes: SlidingShapes) -> ca.SX:
        """Return the same of a part of the length `size` [m], over whose share outside the integrals of `shapes` go."""
        a, b, spin = self._moved, self.rates, root.omega[0]
        momentum = shapes.mean.T @ b + shapes.drift.T @ a
        square = b.T @ (shapes.mass @ b + 2 * (shapes.coupling @ a)) + a.T @ (shapes.change @ a)
        outside = self.slide.extension * (spin * momentum + square / 2)
        return self.polar_inertia * (size * spin**2 / 2 + outside)

    def potential(self) -> ca.SX:
        """Return the energy stored by torsion [J]."""
        return self.rigidity / (2 * self.slide.extension) * (self.angles.T @ (self.shapes.stiffness @ self.angles))

    def dissipation_of_material(self, damping_time: Number) -> ca.SX:
        """Return the dissipation [W] of stress G (strain + damping_time * rate of strain), Kelvin and Voigt."""
        square = squared_strain_rate(self.shapes, self.rates, self._moved)
        return damping_time * self.rigidity / (2 * self.slide.extension) * square

    def dissipation_of_modes(self, critical: ca.SX, damping_ratio: Number) -> ca.SX:
        """Return the dissipation [W] of modal damping, a share of the matrix `critical` (n, n).

        The matrix is in units of sqrt(inertia * stiffness) of the part outside, which is sqrt(rho I_p GJ).
        """
        unit = damping_ratio * ca.sqrt(self.polar_inertia * self.rigidity)
        return unit / 2 * (self.rates.T @ (critical @ self.rates))
