"""Bending by shape functions: the deflection is linear in the coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from flexblocks.beam.energy import dot, kinetic_energy
from flexblocks.beam.flexure import Flexure, turned
from flexblocks.frame import Frame


@dataclass(frozen=True, eq=False)
class ShapeFlexure(Flexure):
    """Deflections v(x) = sum phi_i(x/l) a_i in the axes of the chord; a section is shifted by them and turned.

    The turn is a true rotation by the angle v'(x) about z, then by -w'(x) about y.

    Notes
    -----
    With P(x) = x e_x + v e_y + w e_z and the root's twist (omega, v_a) the velocity of a point is v_a + omega x P + P';
    its square integrates to constants times products of coordinates, so that no quadrature is left in the equations
    (Theodore & Ghosal 1995, eq 18, in the axes of the beam).
    """

    @cached_property
    def chord(self) -> Frame:
        """The frame in which deflections are measured: turned against the root by the slope of pinned shapes there."""
        chord = self.root
        for axis, plane in self.planes.items():
            chord = self._turned(chord, axis, -plane.root_slope)
        return chord

    def section(self, xi: float) -> Frame:
        shift = {axis: dot(plane.shapes.deflection(xi), self.amplitudes[axis]) for axis, plane in self.planes.items()}
        section = self.chord.translate([xi * self.beam.length, shift.get("y", 0.0), shift.get("z", 0.0)])
        for axis, plane in self.planes.items():
            section = self._turned(section, axis, plane.shapes.slope(xi))
        return section

    def tip_deflection(self, axis: str) -> ca.SX:
        return dot(self.planes[axis].shapes.deflection(1.0), self.amplitudes[axis])

    def kinetic(self) -> ca.SX:
        rates = {axis: self.rate(amplitudes) for axis, amplitudes in self.amplitudes.items()}
        return kinetic_energy(self.chord, self.beam.mass, self.beam.length, self.planes, self.amplitudes, rates)

    def _turned(self, frame: Frame, axis: str, slope: np.ndarray) -> Frame:
        if not slope.any():
            return frame
        return turned(frame, axis, dot(slope, self.amplitudes[axis], 1 / self.beam.length))
