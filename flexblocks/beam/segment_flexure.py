"""Deformation by pseudo-joints: rigid segments that turn against each other by angles of any size."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from flexblocks.beam.energy import kinetic_energy, mass_moments
from flexblocks.beam.flexure import Flexure, turned
from flexblocks.beam.pseudo_joints import PseudoJoints
from flexblocks.beam.rotary_energy import TURNS
from flexblocks.frame import Frame


@dataclass(frozen=True, eq=False)
class SegmentFlexure(Flexure):
    """A chain of thin rods, each turned against the one before: about z by `bend_y`, about -y by `bend_z`, about x.

    Before it is turned, a rod is shifted along the one before by the extension.
    """

    @cached_property
    def _bounds(self) -> np.ndarray:
        """Where the rods begin and end, in units of the length."""
        return PseudoJoints(max(plane.shapes.size for plane in self.planes.values())).bounds

    @cached_property
    def _rods(self) -> list[Frame]:
        return self._chain(self.root)

    def _chain(self, root: Frame) -> list[Frame]:
        """Return the frame at the inner end of each rod."""
        frames = [root]
        for i, reach in enumerate(np.diff(self._bounds)[:-1]):
            along = reach * self.beam.length
            frame = frames[-1].translate([along + self.q["x"][i] if "x" in self.q else along, 0.0, 0.0])
            for axis in ("y", "z", "torsion"):
                if axis in self.q:
                    frame = turned(frame, axis, self.q[axis][i])
            frames.append(frame)
        return frames

    def _on_rod(self, rods: list[Frame], xi: float) -> Frame:
        # A pseudo-joint's own place belongs to the rod outboard of it.
        i = min(int(np.searchsorted(self._bounds, xi, side="right")), len(rods)) - 1
        return rods[i].translate([(xi - self._bounds[i]) * self.beam.length, 0.0, 0.0])

    def section(self, xi: float) -> Frame:
        return self._on_rod(self._rods, xi)

    def tip_deflection(self, axis: str) -> ca.SX:
        at_rest = Frame(ca.SX.eye(3), ca.SX(3, 1), ca.SX(3, 1), ca.SX(3, 1), self.rate)
        return self._on_rod(self._chain(at_rest), 1.0).r["xyz".index(axis)]

    def kinetic(self) -> ca.SX:
        energy = ca.SX(1, 1)
        for rod, start, end in zip(self._rods, self._bounds[:-1], self._bounds[1:], strict=True):
            mass, first, second = mass_moments(self.beam.density, start, end)
            size = (end - start) * self.beam.length
            energy += kinetic_energy(rod, mass * self.beam.mass, size, {}, {}, {}, (first, second))
            energy += self._rotary(rod, start, end)
        return energy

    def _rotary(self, rod: Frame, start: float, end: float) -> ca.SX:
        """Return the energy [J] of a rod's sections turning with it."""
        energy = ca.SX(1, 1)
        for axis, inertia in self.beam.section_inertia.items():
            share, *_ = mass_moments(self.beam.rotary[axis], start, end)
            energy += (share * inertia / 2) * rod.omega[TURNS[axis][0]] ** 2
        return energy
