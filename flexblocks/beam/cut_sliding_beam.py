"""An axially moving beam that is cut: its parts move against each other, for the forces that hold them together.

Particles pass a cut that is at a share of the part outside. What they bring with them is no force: Lagrange's equations
of what is outboard of the cut count the momentum that flows in; a term of the energy takes it away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from flexblocks.beam.kinematics.deflection import turned
from flexblocks.beam.kinematics.pieces import Piece, pieces
from flexblocks.beam.kinematics.sliding_deflection import AXES, Number, SlidingFlexure, dot
from flexblocks.beam.shapes.internal_forces import HeldCut
from flexblocks.beam.shapes.sliding_shapes import Matrix, SlidingShapes
from flexblocks.interfaces import Frame, skew


@dataclass(frozen=True, eq=False)
class SectionShapes:
    """Values (n, 1) at a section: of the functions, of the rotations of sections, and of psi of `sliding_shapes`."""

    value: Matrix
    slope: Matrix
    drift: Matrix


@dataclass(frozen=True, eq=False)
class SlidingParts:
    """What the functions of bending, by axis, and of torsion are on a part of the beam, and at a section.

    Attributes
    ----------
    bending : callable
        Takes the ends of a part, in units of the extension, and returns the integrals over it by axis.
    bending_at : callable
        Takes the place of a section and returns the values there by axis.
    torsion, torsion_at : callable
        The same for torsion, if the beam twists.
    """

    bending: Callable[[float, float], dict[str, SlidingShapes]]
    bending_at: Callable[[float], dict[str, SectionShapes]]
    torsion: Callable[[float, float], SlidingShapes]
    torsion_at: Callable[[float], SectionShapes]


@dataclass(frozen=True, eq=False)
class CutSlidingBeam(SlidingFlexure):
    """A sliding beam whose parts between cuts are moved as rigid bodies by the cuts inboard of them.

    Attributes
    ----------
    cuts : tuple of HeldCut
        From the mouth of the hub outward; xi is a share of the extension.
    parts : SlidingParts
    """

    cuts: tuple[HeldCut, ...] = ()
    parts: SlidingParts | None = None

    @property
    def _parts(self) -> SlidingParts:
        assert self.parts is not None
        return self.parts

    @cached_property
    def _pieces(self) -> tuple[Piece, ...]:
        return pieces(self.root, self.cuts, self._section)

    @property
    def _outside(self) -> tuple[Piece, ...]:
        """The parts that have a length: a cut at the mouth leaves none inboard of it."""
        return tuple(piece for piece in self._pieces if piece.end > piece.start)

    def tip(self) -> Frame:
        return self.tip_from(self._pieces[-1].frame)

    def kinetic(self) -> ca.SX:
        inside = self.length - self.extension
        kinetic = self.moments(self._straight(-inside, 0.0), {}).kinetic_energy(self.root)
        if self.torsion:
            kinetic += self.torsion.polar_inertia * inside * self.root.omega[0] ** 2 / 2
        for piece in self._outside:
            ends = piece.start * self.extension, piece.end * self.extension
            shapes = self._parts.bending(piece.start, piece.end)
            scaled = {axis: of.times(self.linear_density) for axis, of in shapes.items()}
            kinetic += self.moments(self._straight(*ends), scaled).kinetic_energy(piece.frame)
            if self.torsion:
                twisting = self._parts.torsion(piece.start, piece.end)
                kinetic += self.torsion.kinetic_of(piece.frame, ends[1] - ends[0], twisting)
        return kinetic + self._entering()

    def load_power(self, axis: str, per_length: Number) -> ca.SX:
        power, out, i = ca.SX(1, 1), self.extension, AXES[axis]
        along = ca.SX.eye(3)[:, i]
        for piece in self._outside:
            size, first = (piece.end - piece.start) * out, (piece.end**2 - piece.start**2) * out**2 / 2
            velocity = self.flow(piece.frame, size, first, self._parts.bending(piece.start, piece.end))
            # In the axes of the hub, which the part's have turned from.
            power += ca.dot(along, velocity + skew(piece.turn) @ velocity)
        return per_length * power

    def _entering(self) -> ca.SX:
        """Return the momentum flow that particles carry outward through the cuts, times how far these are open [J].

        In the energy it takes that flow away from the force that holds a cut, and does nothing else: cuts are closed.
        """
        energy, speed = ca.SX(1, 1), self.rate(self.extension)
        for cut in self.cuts:
            at, passing = self._section(cut.xi), (1 - cut.xi) * speed
            shift = at.R @ ca.vertcat(cut["tension"], cut["shear_y"], cut["shear_z"])
            velocity = self.root.v - skew(at.r) @ self.root.omega + self._velocity(cut.xi)
            energy += self.linear_density * passing * ca.dot(velocity, shift)
            if self.torsion:
                turn = at.R @ ca.vertcat(cut["torque"], -cut["moment_z"], cut["moment_y"])
                spin = self.root.omega[0] + self._twist_rate(cut.xi)
                energy += self.torsion.polar_inertia * passing * spin * turn[0]
        return energy

    def _straight(self, start: Number, end: Number) -> tuple[Number, Number, Number]:
        """Return the mass of the straight beam between two places [m], and its moments about the mouth."""
        first, second, third = ((end**k - start**k) / k for k in (1, 2, 3))
        return self.linear_density * first, self.linear_density * second, self.linear_density * third

    def _section(self, xi: float) -> Frame:
        """Return the frame of a section, seen from the mouth."""
        at = self._parts.bending_at(xi)
        shift = {axis: dot(at[axis].value, a) for axis, a in self.amplitudes.items()}
        mouth = Frame(ca.SX.eye(3), ca.SX(3, 1), ca.SX(3, 1), ca.SX(3, 1), self.rate)
        section = mouth.translate([xi * self.extension, shift.get("y", 0.0), shift.get("z", 0.0)])
        for axis, angles in self.angles.items():
            if angles.numel():
                section = turned(section, axis, dot(at[axis].slope, angles))
        if not self.torsion:
            return section
        return turned(section, "torsion", dot(self._parts.torsion_at(xi).value, self.torsion.angles))

    def _velocity(self, xi: float) -> ca.SX:
        """Return the velocity (3) at which the particle at a section moves relative to the hub."""
        at, speed, velocity = self._parts.bending_at(xi), self.rate(self.extension), ca.SX(3, 1)
        velocity[0] = speed
        for axis, a in self.amplitudes.items():
            moved = dot(at[axis].drift, a) * speed / self.extension
            velocity[AXES[axis]] = dot(at[axis].value, self.speeds[axis]) + moved
        return velocity

    def _twist_rate(self, xi: float) -> ca.SX:
        """Return the rate at which the particles at a section twist against those in the hub [rad/s]."""
        assert self.torsion is not None
        at, growth = self._parts.torsion_at(xi), self.rate(self.extension) / self.extension
        return dot(at.value, self.torsion.rates) + growth * dot(at.drift, self.torsion.angles)
