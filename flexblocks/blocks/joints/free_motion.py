"""Free motion: six degrees of freedom, as of a satellite or a floating base."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca

from flexblocks.blocks.joints.attitude import attitude, attitude_chart, attitude_coordinates
from flexblocks.blocks.joints.orientation import orientation_parameter
from flexblocks.interfaces import Block, Chart, Coordinate, Frame, Local, Output, Physics, inlet, outlet, parameter


@dataclass(frozen=True)
class FreeMotion(Block):
    """Free motion of `frame_b` relative to `frame_a`, in six degrees of freedom; no posture is singular.

    Parameters
    ----------
    name : str
    position : (3,)
        Start: origin of `frame_b` in the axes of `frame_a` [m].
    orientation : (3,) or (3, 3)
        Start: a rotation vector, axis times angle [rad], or the rotation matrix.

    Notes
    -----
    Coordinates ``<name>.displacement_x``, ``_y``, ``_z`` [m], in the axes of `frame_a`, and ``<name>.rotation_x``,
    ``_y``, ``_z`` [rad], as for `Spherical`. Outputs: the angular velocity relative to `frame_a`, in the axes of
    `frame_b`.
    """

    position: tuple[float, ...] = parameter("m", shape=(3,), default=(0.0, 0.0, 0.0), symbolic=False)
    orientation: Any = orientation_parameter(default=(0.0, 0.0, 0.0))

    ports = (inlet(), outlet())

    def coordinates(self) -> tuple[Coordinate, ...]:
        starts = zip("xyz", self.position, strict=True)
        moves = tuple(Coordinate(f"displacement_{axis}", "m", start=start) for axis, start in starts)
        return (*moves, *attitude_coordinates(self.orientation))

    def chart(self, local: Local) -> Chart:
        return attitude_chart(local)

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        assert frame is not None
        R, omega = attitude(local)
        moved = frame.translate(ca.vertcat(*[local[f"displacement_{axis}"] for axis in "xyz"]))
        return Physics(
            outlets={"frame_b": moved.reorient(R, omega)},
            outputs={f"angular_velocity_{axis}": Output(omega[i], "rad/s") for i, axis in enumerate("xyz")},
        )
