"""The flexure of a beam: where its sections are, and its energies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import casadi as ca

from flexblocks.beam.bending import Bending
from flexblocks.beam.energy import square
from flexblocks.beam.uniform_beam import UniformBeam
from flexblocks.frame import Frame


@dataclass(frozen=True, eq=False)
class Flexure(ABC):
    """A beam that bends, in terms of the frame at its root and of its coordinates.

    Attributes
    ----------
    beam : UniformBeam
    root : Frame
    planes : dict of Bending
        The linear theory of each plane, by axis of deflection.
    q : dict of SX
        The coordinates of bending as the user sees them, by the same axes.
    amplitudes : dict of SX
        The same in m: where a coordinate is an angle, times the length.
    rate : callable
        Time derivative of an expression of the coordinates.
    """

    beam: UniformBeam
    root: Frame
    planes: Mapping[str, Bending]
    q: Mapping[str, ca.SX]
    amplitudes: Mapping[str, ca.SX]
    rate: Callable[[ca.SX], ca.SX]

    @abstractmethod
    def section(self, xi: float) -> Frame:
        """Return the frame fixed to the section at x = xi l."""

    @abstractmethod
    def tip_deflection(self, axis: str) -> ca.SX:
        """Return how far the tip is off the straight beam along `axis` of the root [m]."""

    @abstractmethod
    def kinetic(self) -> ca.SX:
        """Return the kinetic energy [J]."""

    def potential(self) -> ca.SX:
        """Return the energy stored by bending [J]."""
        return sum(
            (
                square(self.amplitudes[axis], plane.integrals.stiffness, self.beam.stiffness(axis) / 2)
                for axis, plane in self.planes.items()
            ),
            ca.SX(1, 1),
        )

    def dissipation(self) -> ca.SX:
        """Return Rayleigh's function of modal damping [W]."""
        return sum(
            (
                square(self.rate(self.amplitudes[axis]), plane.critical_damping, self.beam.damping(axis) / 2)
                for axis, plane in self.planes.items()
            ),
            ca.SX(1, 1),
        )


def turned(frame: Frame, axis: str, angle: ca.SX) -> Frame:
    """Turn a frame as a positive slope of the deflection along `axis` does: about z, or about -y."""
    return frame.rotate((0.0, 0.0, 1.0), angle) if axis == "y" else frame.rotate((0.0, 1.0, 0.0), -angle)
