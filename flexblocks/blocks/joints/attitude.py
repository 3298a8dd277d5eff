"""Attitude by modified Rodrigues parameters: three coordinates, and their chart.

The vector is sigma = n tan(phi / 4) for a turn by phi about the unit vector n. It is singular at phi = 2 pi only, and
-sigma / |sigma|^2 is the same attitude, so that two charts cover all attitudes (Schaub and Junkins, Stereographic
orientation parameters for attitude dynamics, J. Astronautical Sciences 44, 1996). Everything is rational in it: there
are no trigonometric functions, and the zero attitude is like any other. Coordinates are r = 4 sigma, the rotation
vector [rad] up to terms of third order.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from flexblocks.blocks.joints.orientation import rotation_matrix
from flexblocks.interfaces import Chart, Coordinate, Local, skew
from flexblocks.libraries import scipy

# |sigma| at which the chart is changed: a turn by 225 degrees. The next chart starts at 1 / 1.5 (135 degrees), so that
# an attitude near 180 degrees does not change it all the time.
BORDER = 1.5
AXES = ("x", "y", "z")


def attitude_coordinates(orientation: object) -> tuple[Coordinate, ...]:
    """Return the coordinates ``rotation_x``, ``rotation_y``, ``rotation_z`` [rad], starting at an orientation."""
    start = 4 * scipy.spatial.transform.Rotation.from_matrix(rotation_matrix(orientation)).as_mrp()
    return tuple(
        Coordinate(f"rotation_{axis}", "rad", start=value) for axis, value in zip(AXES, start.tolist(), strict=True)
    )


def attitude(local: Local) -> tuple[ca.SX, ca.SX]:
    """Return the turned axes (3, 3), as columns in the old ones, and their angular velocity (3, 1) in the new ones."""
    r = _rotation(local)
    sigma, rate = r / 4, local.rate(r)
    s = ca.dot(sigma, sigma)
    scale, cross = 1 / (1 + s) ** 2, skew(sigma)
    R = ca.SX.eye(3) + (4 * (1 - s) * scale) * cross + (8 * scale) * (cross @ cross)
    omega = scale * ((1 - s) * rate - 2 * (cross @ rate) + 2 * sigma * ca.dot(sigma, rate))
    return R, omega


def attitude_chart(local: Local) -> Chart:
    """Return the chart of an attitude whose coordinates are the block's last three."""
    r = _rotation(local)
    s = ca.dot(r, r) / 16
    _, omega = attitude(local)
    return Chart(
        distance=4 * (np.arctan(BORDER) - ca.atan(ca.sqrt(s))),
        speed=ca.norm_2(omega),
        coordinates=ca.vertcat(local.coordinates[:-3], -r / s),
    )


def _rotation(local: Local) -> ca.SX:
    return ca.vertcat(*[local[f"rotation_{axis}"] for axis in AXES])
