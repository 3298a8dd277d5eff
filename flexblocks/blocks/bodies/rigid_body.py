"""Rigid body in space."""

from __future__ import annotations

from dataclasses import MISSING, dataclass
from typing import Any

from flexblocks.blocks.bodies.rigid_inertia import inertia_matrix, inertia_parameter, kinetic_energy
from flexblocks.interfaces import NOT_NEGATIVE, Block, Frame, Local, Physics, inlet, outlet, parameter
from flexblocks.shapes.shape import Shape, shapes_parameter


@dataclass(frozen=True)
class RigidBody(Block):
    """A rigid body of any shape, which may carry others.

    Parameters
    ----------
    name : str
    mass : float
        [kg]
    inertia : (3,), (3, 3) or float
        About the centre of mass, in the axes of `frame_a` [kg m2]: three principal moments, or the matrix. A number is
        that about z alone, all that counts where nothing turns the body about another axis; `flexblocks.assemble`
        refuses it elsewhere.
    center : (3,)
        Centre of mass in `frame_a` [m].
    reach : (3,)
        `frame_b` is `frame_a` moved by this, in the axes of `frame_a` [m]; add a `FixedTransform` to mount others
        in another orientation.
    shape : Shape or tuple of Shape, optional
        What animations draw, in the axes of `frame_a`: `Mesh`, `Cuboid`, `Cylinder`, `Sphere`. It changes no equation.
    """

    mass: float = parameter("kg", NOT_NEGATIVE)
    inertia: Any = inertia_parameter(default=MISSING)
    center: tuple[float, ...] = parameter("m", shape=(3,), default=(0.0, 0.0, 0.0), symbolic=True)
    reach: tuple[float, ...] = parameter("m", shape=(3,), default=(0.0, 0.0, 0.0), symbolic=True)
    shape: Shape | tuple[Shape, ...] | None = shapes_parameter()

    ports = (inlet(), outlet())

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del local
        assert frame is not None
        return Physics(
            outlets={"frame_b": frame.translate(self.reach)},
            kinetic=kinetic_energy(frame, self.mass, self.center, inertia_matrix(self.inertia)),
        )
