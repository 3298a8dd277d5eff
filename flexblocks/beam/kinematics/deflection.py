"""Flexure: the interface of a deformed beam, with frames of its sections and its energies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import casadi as ca

from flexblocks.beam.kinematics.beam import Beam
from flexblocks.beam.kinematics.kinetic_energy import quadratic_form
from flexblocks.beam.properties.profile import Distribution
from flexblocks.beam.shapes.internal_forces import HeldCut
from flexblocks.beam.shapes.shape_integrals import DiscretizedDeformation
from flexblocks.interfaces import Frame, InertialBody


@dataclass(frozen=True, eq=False)
class Flexure(ABC):
    """A deformed beam in terms of the frame at its root and of its coordinates.

    Attributes
    ----------
    beam : Beam
    root : Frame
    planes : dict of DiscretizedDeformation
        The linear theory of each deformation, by its name in `Beam.deformations`.
    q : dict of SX
        The coordinates as the user sees them, by the same names; of shapes that follow a symbolic shear rigidity their
        shares in constant shapes.
    amplitudes : dict of SX
        The same in m: where a coordinate of bending is an angle, times the length; in torsion the angles.
    damped : dict of (DiscretizedDeformation, SX)
        What modal damping counts in: the deformation of nominal values, and its amplitudes.
    rate : callable
        Time derivative of an expression of the coordinates.
    cuts : tuple of HeldCut
        Cuts whose parts may move against each other, for the forces that hold them together; none in the equations of
        motion.
    """

    beam: Beam
    root: Frame
    planes: Mapping[str, DiscretizedDeformation]
    q: Mapping[str, ca.SX]
    amplitudes: Mapping[str, ca.SX]
    damped: Mapping[str, tuple[DiscretizedDeformation, ca.SX]]
    rate: Callable[[ca.SX], ca.SX]
    cuts: tuple[HeldCut, ...] = ()

    @property
    @abstractmethod
    def base(self) -> Frame:
        """The frame at the root in whose axes deflections are measured: the root's own, or the chord's."""

    def along_root(self, vector: ca.SX) -> ca.SX:
        """Return a vector (3) in the axes of the root, from that in those of `base`."""
        return vector

    @abstractmethod
    def resultant(self, weight: Distribution) -> tuple[float | ca.SX, ca.SX]:
        """Return the integrals over x of a weight, and of the weight times the position (3) in the axes of `base`."""

    @abstractmethod
    def section(self, xi: float) -> Frame:
        """Return the frame fixed to the section at x = xi l."""

    def moving_section(self, xi: ca.SX) -> Frame:
        """Return the frame fixed to the section at x = xi l, of a place `xi` that moves along the beam.

        Only of beams whose axis is smooth, see `Discretization.can_guide`.
        """
        raise NotImplementedError(f"{type(self).__name__} has no sections at places that move.")

    @abstractmethod
    def tip_deflection(self, axis: str) -> ca.SX:
        """Return the deflection of the tip from the straight beam along `axis` of the root [m]."""

    @abstractmethod
    def kinetic(self) -> ca.SX:
        """Return the kinetic energy [J]."""

    def bodies(self) -> tuple[InertialBody, ...]:
        """Return the bodies that have the kinetic energy, where their inertia is known in a cheap form; none else."""
        return ()

    def velocity_forces(self, rates: ca.SX) -> ca.SX | None:
        """Return the velocity forces (6 + n, 1), where they are known in fewer operations than the energy derives.

        `rates` (n, 1) are those of all coordinates of the block.
        """
        del rates
        return None

    def potential(self) -> ca.SX:
        """Return the energy stored by bending, shear, extension and torsion [J]."""
        return self.strain_energy(self.amplitudes)

    def strain_energy(self, amplitudes: Mapping[str, ca.SX], scale: float | ca.SX = 1.0) -> ca.SX:
        """Return the strain energy of these amplitudes times `scale`; quadratic in them."""
        energy = ca.SX(1, 1)
        for axis, plane in self.planes.items():
            deformation, amplitude = self.beam.deformations[axis], amplitudes[axis]
            energy += quadratic_form(amplitude, plane.integrals.stiffness, scale * deformation.stiffness / 2)
            if deformation.shear_stiffness is not None:
                energy += quadratic_form(amplitude, plane.shear, scale * deformation.shear_stiffness / 2)
        return energy

    def dissipation(self) -> ca.SX:
        """Return Rayleigh's dissipation function [W]: of modal damping, and of the material (Kelvin and Voigt)."""
        rates = {axis: self.rate(amplitudes) for axis, amplitudes in self.amplitudes.items()}
        modal = (
            quadratic_form(self.rate(amplitudes), plane.critical_damping, self.beam.damping(axis) / 2)
            for axis, (plane, amplitudes) in self.damped.items()
        )
        # Of stress E (strain + tau * rate of strain) it is tau times the strain energy of the rates.
        return sum(modal, self.strain_energy(rates, self.beam.damping_time))


def turned(frame: Frame, axis: str, angle: ca.SX) -> Frame:
    """Turn a frame as a positive deformation does."""
    return frame.rotate(*turn_of(axis, angle))


def turn_of(axis: str, angle: ca.SX) -> tuple[tuple[float, float, float], ca.SX]:
    """Return axis and angle of the turn: of a slope along y about z, of one along z about -y, of torsion about x."""
    if axis == "torsion":
        return (1.0, 0.0, 0.0), angle
    return ((0.0, 0.0, 1.0), angle) if axis == "y" else ((0.0, 1.0, 0.0), -angle)
