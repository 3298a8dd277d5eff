"""The Ritz kinematics of a beam, by shape functions: displacements across the beam are linear in the coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from flexblocks.beam.kinematics.axial import axial_displacement
from flexblocks.beam.kinematics.deflection import Flexure, turned
from flexblocks.beam.kinematics.kinetic_energy import dot, kinetic_energy, mass_moments
from flexblocks.beam.kinematics.rotary_energy import rotary_energy
from flexblocks.beam.properties.beam_profiles import BeamProfiles
from flexblocks.beam.properties.profile import Distribution
from flexblocks.beam.properties.quadrature import gauss_legendre, panels
from flexblocks.beam.shapes.internal_forces import cuts_along, with_cuts
from flexblocks.beam.shapes.shape_functions import FINER, Shapes
from flexblocks.beam.shapes.shape_integrals import DiscretizedDeformation
from flexblocks.interfaces import Frame

# Gauss points on each smooth piece of a load: 9 full waves are integrated within 1e-12.
POINTS = 48


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
        """The frame in which deflections are measured: the root, turned back by the slope of pinned shapes there."""
        chord = self.root
        for axis in self.bent:
            chord = self._turned(chord, axis, -self.planes[axis].root_slope)
        return chord

    @property
    def bent(self) -> tuple[str, ...]:
        """The planes of bending."""
        return tuple(axis for axis in self.planes if axis in ("y", "z"))

    @property
    def base(self) -> Frame:
        return self.chord

    @cached_property
    def _moved(self) -> tuple[Mapping[str, DiscretizedDeformation], Mapping[str, ca.SX]]:
        """The deformations and their amplitudes, with the cuts as further shapes."""
        if not self.cuts:
            return self.planes, self.amplitudes
        places = tuple(cut.xi for cut in self.cuts)
        planes, amplitudes = {}, {}
        for axis, plane in self.planes.items():
            names = {"x": ("tension",), "torsion": ("torque",)}.get(axis, (f"moment_{axis}", f"shear_{axis}"))
            planes[axis] = with_cuts(plane, places, is_rod=axis in ("x", "torsion"))
            held = [cut[name] * (self.beam.length if "moment" in name else 1) for cut in self.cuts for name in names]
            amplitudes[axis] = ca.vertcat(self.amplitudes[axis], *held)
        if "x" not in planes:
            planes["x"] = cuts_along(BeamProfiles(density=self.beam.density), places)
            amplitudes["x"] = ca.vertcat(*[cut["tension"] for cut in self.cuts])
        return planes, amplitudes

    @cached_property
    def _shifts(self) -> tuple[dict[str, DiscretizedDeformation], dict[str, ca.SX]]:
        """By axis the deformations that displace points of the beam, and their amplitudes [m]."""
        planes, amplitudes = self._moved
        shifted, by = {axis: planes[axis] for axis in self.bent}, {axis: amplitudes[axis] for axis in self.bent}
        along = axial_displacement(self.beam, planes, amplitudes)
        if along:
            shifted["x"], by["x"] = along
        return shifted, by

    def section(self, xi: float) -> Frame:
        planes, amplitudes = self._moved
        shift = self._shift(lambda shapes: shapes.deflection(xi))
        x = xi * self.beam.length + shift["x"] if "x" in shift else xi * self.beam.length
        section = self.chord.translate([x, shift.get("y", 0.0), shift.get("z", 0.0)])
        for axis in self.bent:
            angle = dot(planes[axis].shapes.rotation(xi), amplitudes[axis], 1 / self.beam.length)
            section = turned(section, axis, angle) if ca.sparsify(angle).nnz() else section
        if "torsion" in planes:
            section = turned(section, "torsion", dot(planes["torsion"].shapes.deflection(xi), amplitudes["torsion"]))
        return section

    def _shift(self, values: Callable[[Shapes], np.ndarray]) -> dict[str, ca.SX]:
        """Return by axis the sum of amplitudes times a value of each shape."""
        planes, amplitudes = self._shifts
        return {axis: dot(values(plane.shapes), amplitudes[axis]) for axis, plane in planes.items()}

    def resultant(self, weight: Distribution) -> tuple[float | ca.SX, ca.SX]:
        def integral(shapes: Shapes) -> np.ndarray:
            xi, w = shapes.quadrature(weight.breaks, finer=FINER)
            return shapes.deflection(xi) @ (w * weight(xi))

        xi, w = gauss_legendre(POINTS, panels(weight.breaks))
        force = weight(xi) * w
        place, length = self._shift(integral), self.beam.length
        along = float(force @ xi) * length + place.get("x", 0.0)
        return float(force.sum()) * length, length * ca.vertcat(along, place.get("y", 0.0), place.get("z", 0.0))

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
            planes, amplitudes = self._moved
            rates = {axis: self.rate(a) for axis, a in amplitudes.items()}
            energy += rotary_energy(self.chord, self.beam, planes, rates)
        return energy

    def _turned(self, frame: Frame, axis: str, slope: np.ndarray) -> Frame:
        if not slope.any():
            return frame
        return turned(frame, axis, dot(slope, self.amplitudes[axis], 1 / self.beam.length))
