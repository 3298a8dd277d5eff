"""Kinematics and energies of an axially moving beam, which slides out of a hub."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import casadi as ca

from flexblocks.beam.kinematics.deflection import turned
from flexblocks.beam.kinematics.mass_moments import MassMoments
from flexblocks.beam.kinematics.sliding_torsion import SlidingTorsion
from flexblocks.beam.shapes.sliding_shapes import Matrix, SlidingShapes
from flexblocks.interfaces import Frame

Number = float | ca.SX
AXES = {"y": 1, "z": 2}


@dataclass(frozen=True, eq=False)
class SlidingFlexure:
    """A beam along x through a hub at `root`; its part outside the hub bends.

    Attributes
    ----------
    root : Frame
        The mouth of the hub.
    extension : SX
        Length l outside the hub [m].
    length, linear_density : float or SX
        Of the whole beam [m], [kg/m].
    rigidity : dict
        EI [N m2] by axis of deflection.
    shapes : dict of SlidingShapes
        By axis; one for both unless the beam shears more easily along one of them.
    amplitudes, speeds : dict of SX
        Amplitudes of the shapes [m] by axis, and their rates while the beam does not slide.
    angles : dict of SX
        Amplitudes over the extension.
    rate : callable
        Time derivative of an expression of the coordinates.
    shear_rigidity : dict
        kappa G A [N] by axis; empty where sections stay normal to the axis.
    overlaps : dict
        By pairs of axes whose shapes differ the integrals of phi_i phi_j and phi_i psi_j.
    torsion : SlidingTorsion, optional
    """

    root: Frame
    extension: ca.SX
    length: Number
    linear_density: Number
    rigidity: Mapping[str, Number]
    shapes: Mapping[str, SlidingShapes]
    amplitudes: Mapping[str, ca.SX]
    speeds: Mapping[str, ca.SX]
    angles: Mapping[str, ca.SX]
    rate: Callable[[ca.SX], ca.SX]
    shear_rigidity: Mapping[str, Number] = field(default_factory=dict)
    overlaps: Mapping[tuple[str, str], tuple[ca.SX, ca.SX]] = field(default_factory=dict)
    torsion: SlidingTorsion | None = None

    @cached_property
    def _scaled(self) -> dict[str, SlidingShapes]:
        """The integrals times the linear density, once for axes of the same shapes."""
        distinct = {id(shapes): shapes.times(self.linear_density) for shapes in self.shapes.values()}
        return {axis: distinct[id(shapes)] for axis, shapes in self.shapes.items()}

    def deflection(self, axis: str) -> ca.SX:
        """Return the deflection of the tip from the straight beam [m]."""
        return _dot(self.shapes[axis].value, self.amplitudes[axis])

    def tip(self) -> Frame:
        """Return the frame fixed to the section at the tip."""
        shift = {axis: self.deflection(axis) for axis in self.amplitudes}
        tip = self.root.translate([self.extension, shift.get("y", 0.0), shift.get("z", 0.0)])
        for axis, angles in self.angles.items():
            if angles.numel():
                tip = turned(tip, axis, _dot(self.shapes[axis].slope, angles))
        return turned(tip, "torsion", self.torsion.tip) if self.torsion else tip

    def potential(self) -> ca.SX:
        """Return the energy stored by bending, shear and torsion [J]; it changes with the extension too."""
        stored = ca.SX(1, 1)
        for axis, a in self.amplitudes.items():
            shapes = self.shapes[axis]
            stored += self.rigidity[axis] / (2 * self.extension**3) * _form(a, shapes.stiffness, a)
            if shapes.shear:
                stored += self.shear_rigidity[axis] / (2 * self.extension) * _form(a, shapes.shear.stiffness, a)
        return stored + self.torsion.potential() if self.torsion else stored

    def kinetic(self) -> ca.SX:
        """Return the kinetic energy [J] of the whole beam, that inside the hub included."""
        of_mass = self._moments().kinetic_energy(self.root)
        return of_mass + self.torsion.kinetic(self.root) if self.torsion else of_mass

    def _moments(self) -> MassMoments:
        out, mass = self.extension, self.linear_density * self.length
        speed = self.rate(out)
        first, drift, second, flow = ca.SX(3, 1), ca.SX(3, 1), ca.SX(3, 3), ca.SX(3, 3)
        # The straight beam: its particles lie between out - length and out.
        half = mass * self.length / 2
        first[0], drift[0] = mass * out - half, mass * speed
        second[0, 0] = out * (first[0] - half) + mass * self.length**2 / 3
        # What the deflections of the part outside add.
        relative = mass * speed**2
        for axis, a in self.amplitudes.items():
            i, b, shapes = AXES[axis], self.speeds[axis], self._scaled[axis]
            first[i] = out * _dot(shapes.mean, a)
            drift[i] = out * _dot(shapes.mean, b) + speed * _dot(shapes.drift, a)
            second[0, i] = second[i, 0] = out * (out * _dot(shapes.moment, a))
            # Only the part of the flow that is not symmetric counts.
            flow[0, i] = out * (out * _dot(shapes.moment, b) + speed * _dot(shapes.swing, a))
            for other, c in self.amplitudes.items():
                j = AXES[other]
                common, coupling = self._overlap(axis, other)
                second[i, j] = out * _form(a, common, c)
                if i != j:
                    flow[i, j] = out * _form(a, common, self.speeds[other]) + speed * _form(a, coupling, c)
            relative += out * _form(b, shapes.mass, b) + 2 * speed * _form(b, shapes.coupling, a)
            relative += speed**2 * (_form(a, shapes.change, a) / out)
        return MassMoments(mass, first, drift, second, flow, relative)

    def _overlap(self, axis: str, other: str) -> tuple[Matrix, Matrix]:
        """Return the integrals of phi_i phi_j and phi_i psi_j of two axes, times the linear density."""
        if (axis, other) not in self.overlaps:
            return self._scaled[axis].mass, self._scaled[axis].coupling
        mass, coupling = self.overlaps[axis, other]
        return mass * self.linear_density, coupling * self.linear_density


def _dot(constants: ca.SX | ca.DM, vector: ca.SX) -> ca.SX:
    return ca.SX(constants).T @ vector if vector.numel() else ca.SX(1, 1)


def _form(left: ca.SX, constants: ca.SX | ca.DM, right: ca.SX) -> ca.SX:
    return left.T @ (ca.SX(constants) @ right) if left.numel() and right.numel() else ca.SX(1, 1)
