"""Elastic joint with its drive train: motor, rotor, spring and hinge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from flexblocks.blocks.drives.rotor import Rotor
from flexblocks.blocks.drives.source import TorqueSource
from flexblocks.blocks.drives.torsional_spring import TorsionalSpring
from flexblocks.blocks.joints.joint import refuse_empty_range
from flexblocks.blocks.joints.revolute import Revolute
from flexblocks.interfaces import (
    NONZERO,
    NOT_NEGATIVE,
    POSITIVE,
    ROLES,
    Block,
    Composite,
    Role,
    choice,
    flange,
    inlet,
    outlet,
    parameter,
)


@dataclass(frozen=True)
class FlexibleJoint(Composite):
    """An elastic joint with its drive: a spring between rotor and link (Subudhi & Morris 2002, fig 2).

    Parameters
    ----------
    name : str
    inertia : float
        Of the rotor about its axis [kg m2].
    stiffness : float or None
        Of the joint's spring [N m/rad]. None makes the joint rigid: rotor and hinge share the coordinate ``angle``.
    gear_ratio : float
        Turns of the rotor per turn of the joint. It counts for the rotor's spin, and not for torques and angles.
    spring_damping, damping : float
        Of the spring and of the hinge [N m s/rad].
    axis : (3,)
        Axis of rotation in `frame_a`, and of the rotor in `mount`.
    limit : float, optional
        Largest motor torque, on the arm's side of the gearbox [N m].
    start : float
        Start value of rotor and joint angle [rad].
    role : "actuator" or "disturbance"
        Of the motor, see `TorqueSource`.
    low, high, max_speed : float, optional
        Limits of the joint's angle [rad] and speed [rad/s], as of a `Revolute`; the rotor has none.

    Notes
    -----
    Parts: ``motor``, ``rotor``, ``spring``, and a hinge that goes by the joint's own name. A joint ``joint1`` has the
    coordinates ``joint1.rotor.angle`` and ``joint1.angle``, the angle of the link as of a `Revolute`, and the input
    ``joint1.motor.torque``: laws, plans and equilibria made for the rigid joint fit the elastic one. Torques and
    angles are on the arm's side of the gearbox, as with `Rotor`: the motor's own torque is that of ``motor`` over
    `gear_ratio`.

    Ports: ``frame_a``, ``frame_b``, and ``mount``, the frame that carries the motor, which may stay open: the rotor's
    spin is then taken relative to its mount (see `Rotor`). That suits gear ratios of 50 and more on a base that stands
    still. Connect it, as a rule to what ``frame_a`` is connected to, wherever the sum of momenta counts: an arm on a
    base that floats or yields, a rotor with little or no gearing on a link that turns.
    """

    inertia: float = parameter("kg m2", NOT_NEGATIVE)
    stiffness: float | None = parameter("N m/rad", NOT_NEGATIVE, optional=True)
    gear_ratio: float = parameter("1", NONZERO, default=1.0)
    spring_damping: float = parameter("N m s/rad", NOT_NEGATIVE, default=0.0)
    damping: float = parameter("N m s/rad", NOT_NEGATIVE, default=0.0)
    axis: Sequence[float] = parameter("1", shape=(3,), default=(0.0, 0.0, 1.0))
    limit: float | None = parameter("N m", POSITIVE, default=None, symbolic=False)
    start: float = parameter("rad", default=0.0, symbolic=False)
    role: Role = choice(ROLES, default="actuator")
    low: float | None = parameter("rad", default=None, symbolic=False)
    high: float | None = parameter("rad", default=None, symbolic=False)
    max_speed: float | None = parameter("rad/s", POSITIVE, default=None, symbolic=False)

    namesake = "hinge"
    ports = (
        inlet(),
        outlet(),
        inlet("mount", optional=True),
        flange("flange", optional=True),
        flange("motor_flange", optional=True),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_empty_range(self.where, self.low, self.high, "rad")

    def parts(self) -> tuple[Block | Composite, ...]:
        low, high, max_speed = self.low, self.high, self.max_speed
        return (
            TorqueSource("motor", limit=self.limit, role=self.role),
            Rotor("rotor", inertia=self.inertia, gear_ratio=self.gear_ratio, axis=self.axis, start=self.start),
            TorsionalSpring("spring", stiffness=self.stiffness, damping=self.spring_damping),
            Revolute("hinge", self.axis, self.damping, self.start, low=low, high=high, max_speed=max_speed),
        )

    def stiffened(self) -> FlexibleJoint:
        return self if self.stiffness is None else replace(self, stiffness=None)

    def connections(self) -> tuple[tuple[str, str], ...]:
        return (
            ("motor.flange_b", "rotor.flange_a"),
            ("rotor.flange_b", "spring.flange_a"),
            ("spring.flange_b", "hinge.axis"),
        )

    def exposed(self) -> Mapping[str, str]:
        return {
            "frame_a": "hinge.frame_a",
            "frame_b": "hinge.frame_b",
            "mount": "rotor.frame_a",
            "flange": "hinge.axis",
            "motor_flange": "rotor.flange_a",
        }
