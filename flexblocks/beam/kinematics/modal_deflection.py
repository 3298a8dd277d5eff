"""The Ritz kinematics of a beam, by shape functions: displacements across the beam are linear in the coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement

import casadi as ca
import numpy as np

from flexblocks.beam.kinematics.axial import axial_displacement, shortening_forms
from flexblocks.beam.kinematics.deflection import Flexure, turn_of, turned
from flexblocks.beam.kinematics.kinetic_energy import MassRoot, beam_moments, dot, mass_moments, plane_overlap
from flexblocks.beam.kinematics.mass_moments import (
    Field,
    MassProducts,
    Matrix,
    PlaneField,
    plane_velocity_forces,
    velocity_forces,
)
from flexblocks.beam.kinematics.pieces import Piece, on_piece, pieces
from flexblocks.beam.kinematics.rotary_energy import rotary_energy, rotary_velocity_forces
from flexblocks.beam.kinematics.shortening_moments import ShorteningMoments
from flexblocks.beam.properties.profile import Distribution
from flexblocks.beam.properties.quadrature import gauss_legendre, panels, within
from flexblocks.beam.shapes.shape_functions import FINER, Shapes, moving
from flexblocks.beam.shapes.shape_integrals import DiscretizedDeformation
from flexblocks.interfaces import Frame, column, rotation

# Rotations (n,) of a section, by each amplitude.
Turn = Callable[[DiscretizedDeformation], "np.ndarray | ca.SX"]
# Gauss points on each smooth piece of a load: 9 full waves are integrated within 1e-12.
POINTS = 48


@dataclass(frozen=True, eq=False)
class ShapeFlexure(Flexure):
    """Displacements u, v, w(x) = sum phi_i(x/l) a_i in the axes of the chord; a section is shifted by them and turned.

    The turn is a true rotation by the slope v'(x) about z, by -w'(x) about y, then by the torsion about x. With shear
    the angles are those of the sections, and not the slopes. Of pinned shapes, whose chord turns against the root, the
    slopes are those against the root: one number each, as slope and chord all but cancel at the tip of a short beam.

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
    def _shifts(self) -> tuple[dict[str, DiscretizedDeformation], dict[str, ca.SX]]:
        """By axis the deformations that displace points of the beam, and their amplitudes [m]."""
        shifted = {axis: self.planes[axis] for axis in self.bent}
        by = {axis: self.amplitudes[axis] for axis in self.bent}
        along = axial_displacement(self.beam, self.planes, self.amplitudes)
        if along:
            shifted["x"], by["x"] = along
        return shifted, by

    @cached_property
    def _pieces(self) -> tuple[Piece, ...]:
        """The parts between the cuts, from the root outward; one if there are none."""
        return pieces(self.chord, self.cuts, lambda xi: self._section(self._root_of(self._at_rest), xi))

    @property
    def _at_rest(self) -> Frame:
        """The chord at rest in the world's axes."""
        return Frame(ca.SX.eye(3), ca.SX(3, 1), ca.SX(3, 1), ca.SX(3, 1), self.rate)

    def section(self, xi: float) -> Frame:
        # What is at a cut is outboard of it.
        piece = [piece for piece in self._pieces if piece.start <= xi][-1]
        if self._keeps_chord(xi):
            return self._section_on(piece.frame, xi)
        return self._section(self.root if piece.frame is self.chord else self._root_of(piece.frame), xi)

    def _keeps_chord(self, xi: float) -> bool:
        """Whether the place of a section may be in the axes of the chord, which takes fewer operations.

        In one plane the sections are the same. But slope and chord are two turns then: where they cancel, they must not
        turn much.
        """
        return len(self.bent) == 1 and xi == 1.0 and not self.beam.is_bulky

    def _root_of(self, chord: Frame) -> Frame:
        """Return where the root is when the chord is at `chord`."""
        for axis in reversed(self.bent):
            chord = self._turned(chord, axis, self.planes[axis].root_slope)
        return chord

    def moving_section(self, xi: ca.SX) -> Frame:
        def turn(plane: DiscretizedDeformation) -> ca.SX:
            return ca.SX(moving(plane.shapes, "rotation", xi)) - ca.sparsify(ca.DM(plane.root_slope))

        def section(piece: Piece) -> Frame:
            root = self.root if piece.frame is self.chord else self._root_of(piece.frame)
            return self._turned_section(root.translate(self.along_root(column(self._place(xi)))), xi, turn)

        return on_piece(self._pieces, section, xi)

    def _section(self, root: Frame, xi: float) -> Frame:
        """Return the frame of the section at xi when the root is at `root`."""
        section = root.translate(self.along_root(column(self._place(xi))))
        return self._turned_section(section, xi, lambda plane: plane.turn_from_root(xi))

    def _section_on(self, chord: Frame, xi: float) -> Frame:
        """Return the frame of the section at xi when the chord is at `chord`; in one plane."""
        return self._turned_section(chord.translate(self._place(xi)), xi, lambda plane: plane.shapes.rotation(xi))

    def _place(self, xi: float | ca.SX) -> list[float | ca.SX]:
        """Return the place (3) of a section in the axes of the chord."""
        shift = self._shift(lambda s: moving(s, "deflection", xi) if isinstance(xi, ca.SX) else s.deflection(xi))
        return [xi * self.beam.length + shift.get("x", 0.0), shift.get("y", 0.0), shift.get("z", 0.0)]

    def _turned_section(self, section: Frame, xi: float | ca.SX, turn: Turn) -> Frame:
        """Return a section turned by a sum of rotations of each plane, and by the torsion."""
        for axis in self.bent:
            angle = dot(turn(self.planes[axis]), self.amplitudes[axis], 1 / self.beam.length)
            section = turned(section, axis, angle) if ca.sparsify(angle).nnz() else section
        if "torsion" in self.planes:
            twist = dot(moving(self.planes["torsion"].shapes, "deflection", xi), self.amplitudes["torsion"])
            section = turned(section, "torsion", twist)
        return section

    def along_root(self, vector: ca.SX) -> ca.SX:
        for axis in reversed(self.bent):
            slope = self.planes[axis].root_slope
            if slope.any():
                vector = rotation(*turn_of(axis, dot(-slope, self.amplitudes[axis], 1 / self.beam.length))) @ vector
        return vector

    def _shift(self, values: Callable[[Shapes], np.ndarray | ca.SX]) -> dict[str, ca.SX]:
        """Return by axis the sum of amplitudes times a value of each shape."""
        planes, amplitudes = self._shifts
        return {axis: dot(values(plane.shapes), amplitudes[axis]) for axis, plane in planes.items()}

    def resultant(self, weight: Distribution) -> tuple[float | ca.SX, ca.SX]:
        length, total, place = self.beam.length, 0.0, ca.SX(3, 1)
        for piece in self._pieces:
            force, moment = self._resultant(weight, piece)
            total += force * length
            place += length * piece.moved(force, moment)
        return total, place

    def _resultant(self, weight: Distribution, piece: Piece) -> tuple[float, ca.SX]:
        """Return the integrals over xi of a weight, and of the weight times the position, on one piece."""

        def integral(shapes: Shapes) -> np.ndarray:
            xi, w = piece.of_shapes(shapes).quadrature(weight.breaks, finer=FINER)
            return shapes.deflection(xi) @ (w * weight(xi))

        xi, w = gauss_legendre(POINTS, within(panels(weight.breaks), piece.start, piece.end))
        force = weight(xi) * w
        place = self._shift(integral)
        along = float(force @ xi) * self.beam.length + place.get("x", 0.0)
        return float(force.sum()), ca.vertcat(along, place.get("y", 0.0), place.get("z", 0.0))

    def tip_deflection(self, axis: str) -> ca.SX:
        return dot(self.planes[axis].shapes.deflection(1.0), self.amplitudes[axis])

    def kinetic(self) -> ca.SX:
        shifts, amplitudes = self._shifts
        rates = {axis: self.rate(a) for axis, a in amplitudes.items()}
        turns = {axis: self.rate(a) for axis, a in self.amplitudes.items()}
        beam, energy = self.beam, ca.SX(1, 1)
        shortened = shortening_forms(beam, self.planes)
        for piece in self._pieces:
            if piece.end <= piece.start:
                continue
            moments = mass_moments(beam.density, piece.start, piece.end)
            planes = {axis: piece.of(plane) for axis, plane in shifts.items()}
            if shortened:
                planes.pop("x")
            of_mass = beam_moments(beam.mass, beam.length, planes, amplitudes, rates, piece.about_root(moments))
            if shortened:
                chi, forms = shortened
                more = ShorteningMoments(piece.of(chi), forms, planes, amplitudes, rates, beam.mass, beam.length)
                of_mass = more.added(of_mass)
            energy += of_mass.kinetic_energy(piece.frame)
            if beam.section_inertia:
                planes = {axis: piece.of(plane) for axis, plane in self.planes.items()}
                spin, part = piece.frame.omega, (piece.start, piece.end)
                energy += rotary_energy(spin, beam, planes, self.amplitudes, turns, part)
        return energy

    def velocity_forces(self, rates: ca.SX) -> ca.SX | None:
        shifts, amplitudes = self._shifts
        in_one_plane = len(shifts) == 1 and any(self.planes[axis].shapes.size for axis in self.bent)
        if self.cuts or self.beam.shortens or self.chord is not self.root:
            return None
        if not in_one_plane and not {"y", "z"} <= shifts.keys():
            return None
        # Planes of the same shapes are one family of functions, in an orthogonal form if it is the only one: its
        # amplitudes are what the energy squares. Products of two such forms would be full matrices.
        family = {axis: next(other for other in shifts if shifts[other] is plane) for axis, plane in shifts.items()}
        families = {name: shifts[name] for name in family.values()}
        root = MassRoot.of(shifts["y"], self.beam.mass) if len(families) == 1 and not in_one_plane else None
        coefficients = {axis: a if root is None else root.matrix @ a for axis, a in amplitudes.items()}
        speeds = {axis: self.rate(a) if root is None else root.matrix @ self.rate(a) for axis, a in amplitudes.items()}
        place, rate = (
            [Field(parts={family[axis]: of[axis]}) if axis in of else Field() for axis in "xyz"]
            for of in (coefficients, speeds)
        )
        place[0] = Field(along=ca.SX(1), parts=place[0].parts)
        products = self._products(families, root)
        if in_one_plane:
            (axis,) = self.bent
            moved = PlaneField("xyz".index(axis), axis, coefficients[axis], speeds[axis])
            on_root, on_shapes = plane_velocity_forces(products, self.root.omega, moved)
            return ca.vertcat(on_root, ca.jacobian(speeds[axis], rates).T @ on_shapes) + self._of_sections(rates)
        on_frame, accelerations = velocity_forces(products, self.root.omega, place, rate, [Field()] * 3)
        force = ca.SX(rates.shape[0], 1)
        for axis, speed in speeds.items():
            force += ca.jacobian(speed, rates).T @ products.on(family[axis], accelerations["xyz".index(axis)])
        return ca.vertcat(on_frame, force) + self._of_sections(rates)

    def _of_sections(self, rates: ca.SX) -> ca.SX:
        """Return the velocity forces (6 + n, 1) of the rotation of sections."""
        total = ca.SX(6 + rates.numel(), 1)
        if self.beam.section_inertia:
            speeds = {axis: self.rate(a) for axis, a in self.amplitudes.items()}
            total[:3], on_shapes = rotary_velocity_forces(
                self.root.omega, self.beam, self.planes, self.amplitudes, speeds
            )
            for axis, force in on_shapes.items():
                total[6:] += ca.jacobian(speeds[axis], rates).T @ force
        return ca.sparsify(total)

    def _products(self, families: Mapping[str, DiscretizedDeformation], root: MassRoot | None) -> MassProducts:
        """Return the integrals of functions over the mass of the beam, by family; of one family as `root` makes it."""
        mass, length = self.beam.mass, self.beam.length
        _, first, second = mass_moments(self.beam.density)

        def scaled(constants: np.ndarray, unit: float | ca.SX) -> Matrix:
            of_root = constants if root is None else np.linalg.solve(root.matrix.full().T, constants)
            return ca.sparsify(ca.DM(of_root)) * unit

        pairs = combinations_with_replacement(families, 2)
        return MassProducts(
            straight=(mass, mass * length * first, mass * length**2 * second),
            mean={name: scaled(plane.integrals.mean, mass) for name, plane in families.items()},
            moment={name: scaled(plane.integrals.moment, mass * length) for name, plane in families.items()},
            gram={
                (one, two): scaled(plane_overlap(families[one], families[two]), mass)
                if root is None
                else root.mass * ca.DM.eye(root.matrix.shape[0])
                for one, two in pairs
            },
        )

    def _turned(self, frame: Frame, axis: str, slope: np.ndarray) -> Frame:
        if not slope.any():
            return frame
        return turned(frame, axis, dot(slope, self.amplitudes[axis], 1 / self.beam.length))
