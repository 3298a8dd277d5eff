"""Rigid link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca

from flexblocks.blocks.bodies.rigid_inertia import inertia_matrix, inertia_parameter, kinetic_energy
from flexblocks.blocks.bodies.stations import HasStations
from flexblocks.interfaces import NOT_NEGATIVE, POSITIVE, Frame, Local, Physics, inlet, outlet, parameter
from flexblocks.shapes.shape import Shape, shapes_parameter


@dataclass(frozen=True)
class RigidLink(HasStations):
    """A rigid body along x: `frame_b` is `frame_a` moved by `length` along x.

    Parameters
    ----------
    name : str
    length : float
        [m]
    mass : float
        [kg]
    inertia : float, (3,) or (3, 3), optional
        About the centre of mass [kg m2]: three principal moments, or the matrix. A number is that about z alone, and
        refused by `flexblocks.assemble` where the arm turns the link about another axis. By default the moments of a
        thin uniform rod, (0, m l^2/12, m l^2/12).
    center : float, optional
        Distance of the centre of mass from `frame_a` along x [m]; by default half the length.
    shape : Shape or tuple of Shape, optional
        What animations draw, in the axes of `frame_a`: `Mesh`, `Cuboid`, `Cylinder`, `Sphere`. It changes no equation.
    """

    length: float = parameter("m", POSITIVE)
    mass: float = parameter("kg", NOT_NEGATIVE, default=0.0)
    inertia: Any = inertia_parameter(default=None)
    center: float | None = parameter("m", default=None)
    shape: Shape | tuple[Shape, ...] | None = shapes_parameter()

    ports = (inlet(), outlet())

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        assert frame is not None
        center = self.length / 2 if self.center is None else self.center
        rod = self.mass * self.length**2 / 12
        inertia = ca.diag(ca.vertcat(0, rod, rod)) if self.inertia is None else inertia_matrix(self.inertia)
        outlets = {name: frame.translate([self.fraction(name) * self.length, 0, 0]) for name in local.outlets}
        return Physics(outlets=outlets, kinetic=kinetic_energy(frame, self.mass, [center, 0, 0], ca.SX(inertia)))
