"""Deformation by shape functions: displacements across the beam are linear in the coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from flexblocks.beam.axial import axial
from flexblocks.beam.bending import Bending
from flexblocks.beam.energy import dot, kinetic_energy, mass_moments
from flexblocks.beam.flexure import Flexure, turned
from flexblocks.beam.rotary_energy import rotary_energy
from flexblocks.frame import Frame


@dataclass(frozen=True, eq=False)
class ShapeFlexure(Flexure):
    """Displacements u, v, w(x) = sum phi_i(x/l) a_i in the axes of the chord; a section is shifted by them and turned.

    The turn is a true rotation by the slope v'(x) about z, by -w'(x) about y, then by the torsion about x. With shear
    the angles are those of the sections, and not the slopes.

    Notes
    -----
    With P(x) = (x + u) e_x + v e_y + w e_z and the root's twist (omega, v_a) the velocity of a point is
    v_a + omega x P + P'; its square integrates to constants times products of coordinates, so that no quadrature is
    left in the equations (Theodore & Ghosal 1995, eq 18, in the axes of the beam).
    """

    @cached_property
    def chord(self) -> Frame:
        """The frame in which deflections are measured: turned against the root by the slope of pinned shapes there."""
        chord = self.root
        for axis in self.bent:
            chord = self._turned(chord, axis, -self.planes[axis].root_slope)
        return chord

    @property
    def bent(self) -> tuple[str, ...]:
        """The planes of bending."""
        return tuple(axis for axis in self.planes if axis in ("y", "z"))

    @cached_property
    def _shifts(self) -> tuple[dict[str, Bending], dict[str, ca.SX]]:
        """By axis what shifts points of the beam, and the amplitudes [m]."""
        planes = {axis: self.planes[axis] for axis in self.bent}
        amplitudes = {axis: self.amplitudes[axis] for axis in self.bent}
        along = axial(self.beam, self.planes, self.amplitudes)
        if along:
            planes["x"], amplitudes["x"] = along
        return planes, amplitudes

    def section(self, xi: float) -> Frame:
        planes, amplitudes = self._shifts
        shift = {axis: dot(plane.shapes.deflection(xi), amplitudes[axis]) for axis, plane in planes.items()}
        x = xi * self.beam.length + shift["x"] if "x" in shift else xi * self.beam.length
        section = self.chord.translate([x, shift.get("y", 0.0), shift.get("z", 0.0)])
        for axis in self.bent:
            section = self._turned(section, axis, self.planes[axis].shapes.rotation(xi))
        if "torsion" in self.planes:
            twist = self.planes["torsion"].shapes.deflection(xi)
            section = turned(section, "torsion", dot(twist, self.amplitudes["torsion"]))
        return section

    def tip_deflection(self, axis: str) -> ca.SX:
        return dot(self.planes[axis].shapes.deflection(1.0), self.amplitudes[axis])

    def kinetic(self) -> ca.SX:
        planes, amplitudes = self._shifts
        rates = {axis: self.rate(a) for axis, a in amplitudes.items()}
        _, *moments = mass_moments(self.beam.density)
        energy = kinetic_energy(
            self.chord, self.beam.mass, self.beam.length, planes, amplitudes, rates, (moments[0], moments[1])
        )
        if self.beam.section_inertia:
            rates = {axis: self.rate(a) for axis, a in self.amplitudes.items()}
            energy += rotary_energy(self.chord, self.beam, self.planes, rates)
        return energy

    def _turned(self, frame: Frame, axis: str, slope: np.ndarray) -> Frame:
        if not slope.any():
            return frame
        return turned(frame, axis, dot(slope, self.amplitudes[axis], 1 / self.beam.length))
