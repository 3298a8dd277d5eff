"""Kinematics of a beam of pseudo-joints: rigid segments that turn against each other by angles of any size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from flexblocks.beam.kinematics.deflection import Flexure, turned
from flexblocks.beam.kinematics.kinetic_energy import kinetic_energy, mass_moments
from flexblocks.beam.kinematics.rotary_energy import TURNS
from flexblocks.beam.properties.profile import Distribution
from flexblocks.beam.properties.quadrature import gauss_legendre
from flexblocks.beam.shapes.hinges import PseudoJoints
from flexblocks.beam.shapes.internal_forces import HeldCut
from flexblocks.interfaces import Frame

# Gauss points on each smooth piece of a load on one rod: a full wave on a single rod is integrated within 1e-12.
POINTS = 16
# By axis about which a rod turns at a cut, the force that holds it; in the order of the turns.
CUT_TURNS = {"y": "moment_y", "z": "moment_z", "torsion": "torque"}


@dataclass(frozen=True, eq=False)
class _Stop:
    """The end of a rod: the shift of the next one in its axes [m], and the angles by which that is turned."""

    xi: float
    shift: list[ca.SX]
    turns: Mapping[str, ca.SX]


def _shift(cut: HeldCut) -> list[ca.SX]:
    return [cut["tension"], cut["shear_y"], cut["shear_z"]]


@dataclass(frozen=True, eq=False)
class SegmentFlexure(Flexure):
    """A chain of thin rods, each turned against the one before: about z by `bend_y`, about -y by `bend_z`, about x.

    Before it is turned, a rod is shifted along the one before by the extension.
    """

    @property
    def base(self) -> Frame:
        return self.root

    @cached_property
    def _stops(self) -> list[_Stop]:
        """Pseudo-joints and cuts, from the root outward; a cut comes before the joint at its place."""
        places = PseudoJoints(max(plane.shapes.size for plane in self.planes.values())).places
        zero = ca.SX(1, 1)
        stops = [_Stop(cut.xi, _shift(cut), {axis: cut[name] for axis, name in CUT_TURNS.items()}) for cut in self.cuts]
        for i, place in enumerate(places):
            along = self.q["x"][i] if "x" in self.q else zero
            turns = {axis: self.q[axis][i] for axis in CUT_TURNS if axis in self.q}
            stops.append(_Stop(float(place), [along, zero, zero], turns))
        return sorted(stops, key=lambda stop: stop.xi)

    @cached_property
    def _bounds(self) -> np.ndarray:
        """Where the rods begin and end, in units of the length."""
        return np.array([0.0, *(stop.xi for stop in self._stops), 1.0])

    @cached_property
    def _rods(self) -> list[Frame]:
        return self._chain(self.root)

    @cached_property
    def _seen_from_root(self) -> list[Frame]:
        """The rods with the root at rest in the world's axes."""
        return self._chain(Frame(ca.SX.eye(3), ca.SX(3, 1), ca.SX(3, 1), ca.SX(3, 1), self.rate))

    def _chain(self, root: Frame) -> list[Frame]:
        """Return the frame at the inner end of each rod."""
        frames = [root]
        for reach, stop in zip(np.diff(self._bounds)[:-1], self._stops, strict=True):
            x, y, z = stop.shift
            frame = frames[-1].translate([reach * self.beam.length + x, y, z])
            for axis, angle in stop.turns.items():
                frame = turned(frame, axis, angle) if ca.sparsify(angle).nnz() else frame
            frames.append(frame)
        return frames

    def _on_rod(self, rods: list[Frame], xi: float) -> Frame:
        # The position of a pseudo-joint belongs to the rod outboard of it.
        i = min(int(np.searchsorted(self._bounds, xi, side="right")), len(rods)) - 1
        return rods[i].translate([(xi - self._bounds[i]) * self.beam.length, 0.0, 0.0])

    def section(self, xi: float) -> Frame:
        return self._on_rod(self._rods, xi)

    def resultant(self, weight: Distribution) -> tuple[float | ca.SX, ca.SX]:
        total, place = 0.0, ca.SX(3, 1)
        for rod, start, end in zip(self._seen_from_root, self._bounds[:-1], self._bounds[1:], strict=True):
            inner = [break_ for break_ in weight.breaks if start < break_ < end]
            xi, w = gauss_legendre(POINTS, np.array([start, *inner, end]))
            force = w * weight(xi)
            total += float(force.sum())
            along = float(force @ (xi - start)) * self.beam.length
            place += float(force.sum()) * rod.r + rod.R @ ca.vertcat(along, 0, 0)
        return total * self.beam.length, self.beam.length * place

    def tip_deflection(self, axis: str) -> ca.SX:
        return self._on_rod(self._seen_from_root, 1.0).r["xyz".index(axis)]

    def kinetic(self) -> ca.SX:
        energy = ca.SX(1, 1)
        for rod, start, end in zip(self._rods, self._bounds[:-1], self._bounds[1:], strict=True):
            if start == end:
                continue
            mass, first, second = mass_moments(self.beam.density, start, end)
            size = (end - start) * self.beam.length
            energy += kinetic_energy(rod, mass * self.beam.mass, size, {}, {}, {}, (1.0, first, second))
            energy += self._rotary(rod, start, end)
        return energy

    def _rotary(self, rod: Frame, start: float, end: float) -> ca.SX:
        """Return the kinetic energy [J] of the rotation of a rod's sections."""
        energy = ca.SX(1, 1)
        for axis, inertia in self.beam.section_inertia.items():
            share, *_ = mass_moments(self.beam.rotary[axis], start, end)
            energy += (share * inertia / 2) * rod.omega[TURNS[axis][0]] ** 2
        return energy
