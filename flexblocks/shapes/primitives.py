"""Shapes made of sizes: cuboids, cylinders, spheres."""

from __future__ import annotations

from dataclasses import dataclass

from flexblocks.interfaces import POSITIVE, parameter
from flexblocks.shapes.shape import Shape


@dataclass(frozen=True)
class Cuboid(Shape):
    """A cuboid about its centre.

    Parameters
    ----------
    size : (3,)
        Along its x, y and z axes [m].
    position : (3,)
        Its centre in `frame_a` of the body [m].
    orientation : (3,) or (3, 3)
        Roll, pitch and yaw about the axes of `frame_a`, in this order [rad]; or the rotation matrix.
    color : (3,), (4,) or str, optional
        Red, green, blue and opacity from 0 to 1, or ``"#rrggbb"``; by default that of the body's kind.
    """

    size: tuple[float, ...] = parameter("m", POSITIVE, shape=(3,))


@dataclass(frozen=True)
class Cylinder(Shape):
    """A cylinder about its centre, along its z axis.

    Parameters
    ----------
    radius, length : float
        [m]
    position : (3,)
        Its centre in `frame_a` of the body [m].
    orientation : (3,) or (3, 3)
        Roll, pitch and yaw about the axes of `frame_a`, in this order [rad]; or the rotation matrix.
    color : (3,), (4,) or str, optional
        Red, green, blue and opacity from 0 to 1, or ``"#rrggbb"``; by default that of the body's kind.
    """

    radius: float = parameter("m", POSITIVE)
    length: float = parameter("m", POSITIVE)


@dataclass(frozen=True)
class Sphere(Shape):
    """A sphere about its centre.

    Parameters
    ----------
    radius : float
        [m]
    position : (3,)
        Its centre in `frame_a` of the body [m].
    orientation : (3,) or (3, 3)
        Roll, pitch and yaw about the axes of `frame_a`, in this order [rad]; or the rotation matrix.
    color : (3,), (4,) or str, optional
        Red, green, blue and opacity from 0 to 1, or ``"#rrggbb"``; by default that of the body's kind.
    """

    radius: float = parameter("m", POSITIVE)
