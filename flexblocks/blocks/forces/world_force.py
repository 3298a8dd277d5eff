"""External force and torque on one frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import casadi as ca

from flexblocks.interfaces import (
    ROLES,
    AttachedFrame,
    ForceElement,
    Local,
    Physics,
    Role,
    Variable,
    attachment,
    choice,
)


@dataclass(frozen=True)
class _External(ForceElement):
    resolve_in: Literal["world", "frame"] = choice(("world", "frame"), default="world")
    role: Role = choice(ROLES, default="disturbance")

    ports = (attachment("frame_a"),)
    effort: ClassVar[tuple[str, str]]

    def inputs(self) -> tuple[Variable, ...]:
        name, unit = self.effort
        return tuple(Variable(f"{name}_{axis}", unit, role=self.role) for axis in "xyz")

    def physics(self, frames: Mapping[str, AttachedFrame], local: Local) -> Physics:
        name, _ = self.effort
        effort = ca.vertcat(*[local[f"{name}_{axis}"] for axis in "xyz"])
        return Physics(power=frames["frame_a"].power(**{name: effort}, resolve_in=self.resolve_in))


@dataclass(frozen=True)
class WorldForce(_External):
    """An external force at the origin of `frame_a`: the inputs ``force_x``, ``force_y``, ``force_z`` [N].

    Parameters
    ----------
    name : str
    resolve_in : "world" or "frame"
        Whose axes its components belong to: a wind blows in the world's, a thruster in those of its frame.
    role : "disturbance" or "actuator"
        A wind or the pull of a hand is zero unless it is given; the force of a thruster is an actuator, which laws and
        plans move.
    """

    effort = ("force", "N")


@dataclass(frozen=True)
class WorldTorque(_External):
    """An external torque on `frame_a`: the inputs ``torque_x``, ``torque_y``, ``torque_z`` [N m].

    Parameters
    ----------
    name : str
    resolve_in : "world" or "frame"
        Whose axes its components belong to.
    role : "disturbance" or "actuator"
        Whether it is zero unless it is given, or laws and plans move it, as that of a reaction wheel.
    """

    effort = ("torque", "N m")
