"""Payload: a rigid body at the end of an arm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flexblocks.blocks.bodies.rigid_inertia import inertia_matrix, inertia_parameter, kinetic_energy
from flexblocks.interfaces import NOT_NEGATIVE, Block, Frame, Local, Output, Physics, inlet, parameter
from flexblocks.shapes.shape import Shape, shapes_parameter


@dataclass(frozen=True)
class Payload(Block):
    """A payload: a rigid body fixed to a frame.

    Parameters
    ----------
    name : str
    mass : float
        [kg]
    inertia : float, (3,) or (3, 3)
        About the centre of mass, in the axes of `frame_a` [kg m2]: three principal moments, or the matrix, symmetric
        and positive semidefinite. A number is that about z alone, all that counts in an arm that moves in the xy plane;
        `flexblocks.assemble` refuses it where the arm turns the payload about another axis.
    center : (3,)
        Centre of mass in `frame_a` [m].
    shape : Shape or tuple of Shape, optional
        What animations draw, in the axes of `frame_a`: `Mesh`, `Cuboid`, `Cylinder`, `Sphere`. It changes no equation.

    Notes
    -----
    Outputs, in world axes [m]: ``x``, ``y``, ``z``, the place of `frame_a`, where the arm holds the payload (only of
    a payload that closes no loop); ``center_x``, ``center_y``, ``center_z``, the centre of mass. They differ by
    `center`, which turns with the payload.
    """

    mass: float = parameter("kg", NOT_NEGATIVE)
    inertia: Any = inertia_parameter(default=0.0)
    center: tuple[float, ...] = parameter("m", shape=(3,), default=(0.0, 0.0, 0.0), symbolic=True)
    shape: Shape | tuple[Shape, ...] | None = shapes_parameter()

    ports = (inlet(),)

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del local
        assert frame is not None
        center = frame.translate(self.center).r
        return Physics(
            kinetic=kinetic_energy(frame, self.mass, self.center, inertia_matrix(self.inertia)),
            outputs={f"center_{axis}": Output(center[i], "m") for i, axis in enumerate("xyz")},
        )
