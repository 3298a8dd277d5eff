"""Spherical joint: three degrees of freedom of rotation, in any attitude."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca

from flexblocks.blocks.joints.attitude import attitude, attitude_chart, attitude_coordinates
from flexblocks.blocks.joints.orientation import orientation_parameter
from flexblocks.interfaces import (
    NOT_NEGATIVE,
    Block,
    Chart,
    Coordinate,
    Frame,
    Local,
    Output,
    Physics,
    inlet,
    outlet,
    parameter,
)


@dataclass(frozen=True)
class Spherical(Block):
    """A spherical (ball) joint: `frame_b` turns freely in `frame_a`; no posture is singular.

    Parameters
    ----------
    name : str
    damping : float
        Viscous friction [N m s/rad], on the relative angular velocity.
    orientation : (3,) or (3, 3)
        Start: a rotation vector, axis times angle [rad], or the rotation matrix.

    Notes
    -----
    Coordinates ``<name>.rotation_x``, ``rotation_y``, ``rotation_z``: the axis of the turn from `frame_a` to `frame_b`
    times 4 tan(angle / 4) [rad], the rotation vector up to terms of third order. A simulation changes to the other
    vector of the same attitude when the turn exceeds 225 degrees, and the coordinates jump there; the motion does not.
    Outputs: the angular velocity relative to `frame_a`, in the axes of `frame_b`. For a joint with a drive on each
    axis, see `Gimbal`.
    """

    damping: float = parameter("N m s/rad", NOT_NEGATIVE, default=0.0)
    orientation: Any = orientation_parameter(default=(0.0, 0.0, 0.0))

    ports = (inlet(), outlet())

    def coordinates(self) -> tuple[Coordinate, ...]:
        return attitude_coordinates(self.orientation)

    def chart(self, local: Local) -> Chart:
        return attitude_chart(local)

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        assert frame is not None
        R, omega = attitude(local)
        return Physics(
            outlets={"frame_b": frame.reorient(R, omega)},
            dissipation=self.damping * ca.dot(omega, omega) / 2,
            outputs={f"angular_velocity_{axis}": Output(omega[i], "rad/s") for i, axis in enumerate("xyz")},
        )
