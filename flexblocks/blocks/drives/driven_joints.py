"""Joints with their motors: hinge and slide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flexblocks.blocks.drives.source import ForceSource, TorqueSource
from flexblocks.blocks.joints.joint import refuse_empty_range
from flexblocks.blocks.joints.prismatic import Prismatic
from flexblocks.blocks.joints.revolute import Revolute
from flexblocks.interfaces import (
    NOT_NEGATIVE,
    POSITIVE,
    ROLES,
    Block,
    Composite,
    Kind,
    Role,
    choice,
    flange,
    inlet,
    outlet,
    parameter,
)


@dataclass(frozen=True)
class DrivenRevolute(Composite):
    """A hinge with its motor.

    Parameters
    ----------
    name : str
    axis : (3,)
        Axis of rotation in `frame_a`.
    damping : float
        Viscous friction [N m s/rad].
    limit : float, optional
        Largest torque of the motor in either direction [N m].
    start : float
        Start value of ``angle`` [rad].
    role : "actuator" or "disturbance"
        Of the motor, see `TorqueSource`.
    low, high, max_speed : float, optional
        Limits of the angle [rad] and its speed [rad/s], as of a `Revolute`.

    Notes
    -----
    Parts: ``motor``, and a hinge that goes by the joint's own name. A joint ``joint1`` has the coordinate
    ``joint1.angle`` and the input ``joint1.motor.torque``, the names of a `FlexibleJoint`: laws, plans and equilibria
    made for the one fit the other. Ports: ``frame_a``, ``frame_b``, and ``flange``, the shaft, for what else acts on
    it: friction, end stops, gears, rotors.
    """

    axis: Sequence[float] = parameter("1", shape=(3,), default=(0.0, 0.0, 1.0))
    damping: float = parameter("N m s/rad", NOT_NEGATIVE, default=0.0)
    limit: float | None = parameter("N m", POSITIVE, default=None, symbolic=False)
    start: float = parameter("rad", default=0.0, symbolic=False)
    role: Role = choice(ROLES, default="actuator")
    low: float | None = parameter("rad", default=None, symbolic=False)
    high: float | None = parameter("rad", default=None, symbolic=False)
    max_speed: float | None = parameter("rad/s", POSITIVE, default=None, symbolic=False)

    namesake = "hinge"
    ports = (inlet(), outlet(), flange("flange", optional=True))

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_empty_range(self.where, self.low, self.high, "rad")

    def parts(self) -> tuple[Block | Composite, ...]:
        low, high, max_speed = self.low, self.high, self.max_speed
        return (
            TorqueSource("motor", limit=self.limit, role=self.role),
            Revolute("hinge", self.axis, self.damping, self.start, low=low, high=high, max_speed=max_speed),
        )

    def connections(self) -> tuple[tuple[str, str], ...]:
        return (("motor.flange_b", "hinge.axis"),)

    def exposed(self) -> Mapping[str, str]:
        return {"frame_a": "hinge.frame_a", "frame_b": "hinge.frame_b", "flange": "hinge.axis"}


@dataclass(frozen=True)
class DrivenPrismatic(Composite):
    """A slide with its linear motor.

    Parameters
    ----------
    name : str
    axis : (3,)
        Direction of the slide in `frame_a`.
    damping : float
        Viscous friction [N s/m].
    limit : float, optional
        Largest force of the motor in either direction [N].
    start : float
        Start value of ``displacement`` [m].
    role : "actuator" or "disturbance"
        Of the motor, see `ForceSource`.
    low, high, max_speed : float, optional
        Limits of the displacement [m] and its speed [m/s], as of a `Prismatic`.

    Notes
    -----
    Parts: ``motor``, and a slide that goes by the joint's own name. A joint ``lift`` has the coordinate
    ``lift.displacement`` and the input ``lift.motor.force``. Ports: ``frame_a``, ``frame_b``, and ``flange``, for what
    else acts on the slide: racks, gears, other motors.
    """

    axis: Sequence[float] = parameter("1", shape=(3,), default=(0.0, 0.0, 1.0))
    damping: float = parameter("N s/m", NOT_NEGATIVE, default=0.0)
    limit: float | None = parameter("N", POSITIVE, default=None, symbolic=False)
    start: float = parameter("m", default=0.0, symbolic=False)
    role: Role = choice(ROLES, default="actuator")
    low: float | None = parameter("m", default=None, symbolic=False)
    high: float | None = parameter("m", default=None, symbolic=False)
    max_speed: float | None = parameter("m/s", POSITIVE, default=None, symbolic=False)

    namesake = "slide"
    ports = (inlet(), outlet(), flange("flange", kind=Kind.TRANSLATIONAL, optional=True))

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_empty_range(self.where, self.low, self.high, "m")

    def parts(self) -> tuple[Block | Composite, ...]:
        low, high, max_speed = self.low, self.high, self.max_speed
        return (
            ForceSource("motor", limit=self.limit, role=self.role),
            Prismatic("slide", self.axis, self.damping, self.start, low=low, high=high, max_speed=max_speed),
        )

    def connections(self) -> tuple[tuple[str, str], ...]:
        return (("motor.flange_b", "slide.axis"),)

    def exposed(self) -> Mapping[str, str]:
        return {"frame_a": "slide.frame_a", "frame_b": "slide.frame_b", "flange": "slide.axis"}
