"""Kinematics and energies of an axially moving beam, which slides out of a hub."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property

import casadi as ca

from flexblocks.beam.kinematics.deflection import turned
from flexblocks.beam.kinematics.mass_moments import MassMoments
from flexblocks.beam.shapes.sliding_shapes import SlidingShapes
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
    shapes : SlidingShapes
    amplitudes, speeds : dict of SX
        Amplitudes of the shapes [m] by axis, and their rates while the beam does not slide.
    angles : dict of SX
        Amplitudes over the extension.
    rate : callable
        Time derivative of an expression of the coordinates.
    """

    root: Frame
    extension: ca.SX
    length: Number
    linear_density: Number
    rigidity: Mapping[str, Number]
    shapes: SlidingShapes
    amplitudes: Mapping[str, ca.SX]
    speeds: Mapping[str, ca.SX]
    angles: Mapping[str, ca.SX]
    rate: Callable[[ca.SX], ca.SX]

    @cached_property
    def _scaled(self) -> SlidingShapes:
        """The integrals times the linear density; where both are numbers the product costs nothing."""
        integrals = {f.name: getattr(self.shapes, f.name) * self.linear_density for f in fields(self.shapes)}
        return SlidingShapes(**integrals)

    def deflection(self, axis: str) -> ca.SX:
        """Return the deflection of the tip from the straight beam [m]."""
        return _dot(self.shapes.value, self.amplitudes[axis])

    def tip(self) -> Frame:
        """Return the frame fixed to the section at the tip."""
        shift = {axis: self.deflection(axis) for axis in self.amplitudes}
        tip = self.root.translate([self.extension, shift.get("y", 0.0), shift.get("z", 0.0)])
        for axis, angles in self.angles.items():
            if angles.numel():
                tip = turned(tip, axis, _dot(self.shapes.slope, angles))
        return tip

    def potential(self) -> ca.SX:
        """Return the energy stored by bending [J]; it changes with the extension too."""
        stored = ca.SX(1, 1)
        for axis, a in self.amplitudes.items():
            stored += self.rigidity[axis] / (2 * self.extension**3) * _form(a, self.shapes.stiffness, a)
        return stored

    def kinetic(self) -> ca.SX:
        """Return the kinetic energy [J] of the whole beam, that inside the hub included."""
        return self._moments().kinetic_energy(self.root)

    def _moments(self) -> MassMoments:
        out, shapes, mass = self.extension, self._scaled, self.linear_density * self.length
        speed = self.rate(out)
        first, drift, second, flow = ca.SX(3, 1), ca.SX(3, 1), ca.SX(3, 3), ca.SX(3, 3)
        # The straight beam: its particles lie between out - length and out.
        half = mass * self.length / 2
        first[0], drift[0] = mass * out - half, mass * speed
        second[0, 0] = out * (first[0] - half) + mass * self.length**2 / 3
        # What the deflections of the part outside add.
        relative = mass * speed**2
        for axis, a in self.amplitudes.items():
            i, b = AXES[axis], self.speeds[axis]
            first[i] = out * _dot(shapes.mean, a)
            drift[i] = out * _dot(shapes.mean, b) + speed * _dot(shapes.drift, a)
            second[0, i] = second[i, 0] = out * (out * _dot(shapes.moment, a))
            # Only the part of the flow that is not symmetric counts.
            flow[0, i] = out * (out * _dot(shapes.moment, b) + speed * _dot(shapes.swing, a))
            for other, c in self.amplitudes.items():
                j = AXES[other]
                second[i, j] = out * _form(a, shapes.mass, c)
                if i != j:
                    flow[i, j] = out * _form(a, shapes.mass, self.speeds[other]) + speed * _form(a, shapes.coupling, c)
            relative += out * _form(b, shapes.mass, b) + 2 * speed * _form(b, shapes.coupling, a)
            relative += speed**2 * (_form(a, shapes.change, a) / out)
        return MassMoments(mass, first, drift, second, flow, relative)


def _dot(constants: ca.SX | ca.DM, vector: ca.SX) -> ca.SX:
    return ca.SX(constants).T @ vector if vector.numel() else ca.SX(1, 1)


def _form(left: ca.SX, constants: ca.SX | ca.DM, right: ca.SX) -> ca.SX:
    return left.T @ (ca.SX(constants) @ right) if left.numel() and right.numel() else ca.SX(1, 1)
