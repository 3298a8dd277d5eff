"""Bending by pseudo-joints: rigid segments that turn against each other by angles of any size."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from flexblocks.beam.energy import kinetic_energy
from flexblocks.beam.flexure import Flexure, turned
from flexblocks.beam.pseudo_joints import PseudoJoints
from flexblocks.frame import Frame


@dataclass(frozen=True, eq=False)
class SegmentFlexure(Flexure):
    """A chain of thin rods, each turned against the one before: about z by `bend_y`, then about -y by `bend_z`."""

    @cached_property
    def _bounds(self) -> np.ndarray:
        """Where the rods begin and end, in units of the length."""
        return PseudoJoints(max(plane.shapes.size for plane in self.planes.values())).panels

    @cached_property
    def _rods(self) -> list[Frame]:
        return self._chain(self.root)

    def _chain(self, root: Frame) -> list[Frame]:
        """Return the frame at the inner end of each rod."""
        frames = [root]
        for i, reach in enumerate(np.diff(self._bounds)[:-1]):
            frame = frames[-1].translate([reach * self.beam.length, 0.0, 0.0])
            for axis, angles in self.q.items():
                frame = turned(frame, axis, angles[i])
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
        shares = np.diff(self._bounds)
        return sum(
            (
                kinetic_energy(rod, share * self.beam.mass, share * self.beam.length, {}, {}, {})
                for rod, share in zip(self._rods, shares, strict=True)
            ),
            ca.SX(1, 1),
        )
