"""Prismatic joint."""

from __future__ import annotations

from dataclasses import dataclass

from flexblocks.blocks.joints.joint import Joint
from flexblocks.interfaces import (
    NOT_NEGATIVE,
    POSITIVE,
    Coordinate,
    Frame,
    Kind,
    Local,
    Physics,
    flange,
    inlet,
    outlet,
    parameter,
)


@dataclass(frozen=True, init=False)
class Prismatic(Joint):
    """A prismatic joint (slide): `frame_b` is `frame_a` moved by the coordinate ``displacement`` along `axis`.

    Parameters
    ----------
    name : str
    axis : sequence of 3 floats
        Direction of the slide in the axes of `frame_a`; scaled to length 1.
    damping : float
        Viscous friction [N s/m].
    start : float
        Start value of ``displacement`` [m].
    low, high : float, optional
        Limits of ``displacement`` [m]. Plans keep them; they exert no force, and motions beyond them are warned of.
    max_speed : float, optional
        Largest speed in both directions [m/s], kept and warned of likewise.

    Raises
    ------
    ParameterError
        A value out of its range, or `low` not below `high`.

    Notes
    -----
    Ports: ``frame_a``, ``frame_b``, and ``axis``, the drive side. Force on the drive side reacts on `frame_a`.
    """

    damping: float = parameter("N s/m", NOT_NEGATIVE, default=0.0)
    start: float = parameter("m", default=0.0, symbolic=False)
    low: float | None = parameter("m", default=None, symbolic=False)
    high: float | None = parameter("m", default=None, symbolic=False)
    max_speed: float | None = parameter("m/s", POSITIVE, default=None, symbolic=False)

    ports = (inlet(), outlet(), flange("axis", kind=Kind.TRANSLATIONAL, optional=True))

    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate("displacement", "m", self.start),)

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        assert frame is not None
        displacement = local["displacement"]
        return Physics(
            outlets={"frame_b": frame.translate([displacement * component for component in self.direction])},
            dissipation=self.damping * local.rate(displacement) ** 2 / 2,
        )
