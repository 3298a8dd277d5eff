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
from flexblocks.interfaces import Frame, skew

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
        return dot(self.shapes[axis].value, self.amplitudes[axis])

    def tip(self) -> Frame:
        """Return the frame fixed to the section at the tip."""
        return self.tip_from(self.root)

    def tip_from(self, root: Frame) -> Frame:
        """Return the frame fixed to the section at the tip when the mouth of the hub is at `root`."""
        shift = {axis: self.deflection(axis) for axis in self.amplitudes}
        tip = root.translate([self.extension, shift.get("y", 0.0), shift.get("z", 0.0)])
        for axis, angles in self.angles.items():
            if angles.numel():
                tip = turned(tip, axis, dot(self.shapes[axis].slope, angles))
        return turned(tip, "torsion", self.torsion.tip) if self.torsion else tip

    def load_power(self, axis: str, per_length: Number) -> ca.SX:
        """Return the power [W] of a force per length [N/m] along an axis of the hub on the particles outside."""
        out = self.extension
        return per_length * self.flow(self.root, out, out**2 / 2, self.shapes)[AXES[axis]]

    def flow(self, root: Frame, size: ca.SX, first: ca.SX, shapes: Mapping[str, SlidingShapes]) -> ca.SX:
        """Return the integral (3) of the velocity of particles over x [m2/s], in the axes of `root`.

        Over a part of the length `size` [m] with the first moment `first` [m2]; the integrals of `shapes` go over it.
        """
        place, drift, out = ca.SX(3, 1), ca.SX(3, 1), self.extension
        speed = self.rate(out)
        place[0], drift[0] = first, size * speed
        for axis, a in self.amplitudes.items():
            i, of = AXES[axis], shapes[axis]
            place[i] = out * dot(of.mean, a)
            drift[i] = out * dot(of.mean, self.speeds[axis]) + speed * dot(of.drift, a)
        return size * root.v - skew(ca.sparsify(place)) @ root.omega + ca.sparsify(drift)

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
        # Of the straight beam: its particles lie between out - length and out.
        out, mass = self.extension, self.linear_density * self.length
        half = mass * self.length / 2
        first = mass * out - half
        second = out * (first - half) + mass * self.length**2 / 3
        return self.moments((mass, first, second), self._scaled)

    def moments(self, straight: tuple[Number, Number, Number], scaled: Mapping[str, SlidingShapes]) -> MassMoments:
        """Return the mass moments of a part of the beam about the mouth.

        Parameters
        ----------
        straight : tuple
            int dm [kg], int x dm [kg m], int x^2 dm [kg m2].
        scaled : dict of SlidingShapes
            By axis the integrals over the part times the linear density; empty for a part that does not bend.
        """
        out, (mass, first_x, second_x) = self.extension, straight
        speed = self.rate(out)
        first, drift, second, flow = ca.SX(3, 1), ca.SX(3, 1), ca.SX(3, 3), ca.SX(3, 3)
        first[0], drift[0], second[0, 0] = first_x, mass * speed, second_x
        # What the deflections of the part outside add.
        relative = mass * speed**2
        amplitudes = {axis: a for axis, a in self.amplitudes.items() if axis in scaled}
        for axis, a in amplitudes.items():
            i, b, shapes = AXES[axis], self.speeds[axis], scaled[axis]
            first[i] = out * dot(shapes.mean, a)
            drift[i] = out * dot(shapes.mean, b) + speed * dot(shapes.drift, a)
            second[0, i] = second[i, 0] = out * (out * dot(shapes.moment, a))
            # Only the part of the flow that is not symmetric counts.
            flow[0, i] = out * (out * dot(shapes.moment, b) + speed * dot(shapes.swing, a))
            for other, c in amplitudes.items():
                j = AXES[other]
                common, coupling = self._overlap(scaled, axis, other)
                second[i, j] = out * _form(a, common, c)
                if i != j:
                    flow[i, j] = out * _form(a, common, self.speeds[other]) + speed * _form(a, coupling, c)
            relative += out * _form(b, shapes.mass, b) + 2 * speed * _form(b, shapes.coupling, a)
            relative += speed**2 * (_form(a, shapes.change, a) / out)
        return MassMoments(mass, first, drift, second, flow, relative)

    def _overlap(self, scaled: Mapping[str, SlidingShapes], axis: str, other: str) -> tuple[Matrix, Matrix]:
        """Return the integrals of phi_i phi_j and phi_i psi_j of two axes, times the linear density."""
        if (axis, other) not in self.overlaps:
            return scaled[axis].mass, scaled[axis].coupling
        mass, coupling = self.overlaps[axis, other]
        return mass * self.linear_density, coupling * self.linear_density


def dot(constants: ca.SX | ca.DM, vector: ca.SX) -> ca.SX:
    """Return the sum of constants (n, 1) times a vector (n, 1); zero if it is empty."""
    return ca.SX(constants).T @ vector if vector.numel() else ca.SX(1, 1)


def _form(left: ca.SX, constants: ca.SX | ca.DM, right: ca.SX) -> ca.SX:
    return left.T @ (ca.SX(constants) @ right) if left.numel() and right.numel() else ca.SX(1, 1)
