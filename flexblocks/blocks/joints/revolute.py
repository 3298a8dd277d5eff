"""Revolute joint."""

from __future__ import annotations

from dataclasses import dataclass

from flexblocks.blocks.joints.joint import Joint
from flexblocks.interfaces import (
    NOT_NEGATIVE,
    POSITIVE,
    Coordinate,
    Frame,
    Local,
    Physics,
    flange,
    inlet,
    outlet,
    parameter,
)


@dataclass(frozen=True, init=False)
class Revolute(Joint):
    """A revolute joint (hinge): `frame_b` is `frame_a` turned by the coordinate ``angle`` about `axis`.

    Parameters
    ----------
    name : str
    axis : sequence of 3 floats
        Axis of rotation in the axes of `frame_a`; scaled to length 1.
    damping : float
        Viscous friction [N m s/rad].
    start : float
        Start value of ``angle`` [rad].
    low, high : float, optional
        Limits of ``angle`` [rad]. Plans keep them; they exert no torque, and motions beyond them are warned of.
    max_speed : float, optional
        Largest speed in both directions [rad/s], kept and warned of likewise.

    Raises
    ------
    ParameterError
        A value out of its range, or `low` not below `high`.

    Notes
    -----
    Ports: ``frame_a``, ``frame_b``, and ``axis``, the drive side. Torque on the drive side reacts on `frame_a`.
    """

    damping: float = parameter("N m s/rad", NOT_NEGATIVE, default=0.0)
    start: float = parameter("rad", default=0.0, symbolic=False)
    low: float | None = parameter("rad", default=None, symbolic=False)
    high: float | None = parameter("rad", default=None, symbolic=False)
    max_speed: float | None = parameter("rad/s", POSITIVE, default=None, symbolic=False)

    ports = (inlet(), outlet(), flange("axis", optional=True))

    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate("angle", "rad", self.start),)

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        assert frame is not None
        angle = local["angle"]
        return Physics(
            outlets={"frame_b": frame.rotate(self.direction, angle)},
            dissipation=self.damping * local.rate(angle) ** 2 / 2,
        )
