"""Ideal torque and force sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from flexblocks.interfaces import (
    GUEST,
    POSITIVE,
    ROLES,
    Block,
    Coordinate,
    Frame,
    Kind,
    Load,
    Local,
    Physics,
    Role,
    Variable,
    choice,
    flange,
    parameter,
)


@dataclass(frozen=True)
class _Source(Block):
    limit: float | None = None
    role: Role = "actuator"

    effort: ClassVar[tuple[str, str]]
    displacement: ClassVar[tuple[str, str]]

    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate(*self.displacement, rank=GUEST),)

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return {"flange_b": (self.displacement[0], 1.0)}

    def inputs(self) -> tuple[Variable, ...]:
        return (Variable(*self.effort, limit=self.limit, role=self.role),)

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del frame
        return Physics(loads=(Load(local[self.effort[0]], local[self.displacement[0]]),))


@dataclass(frozen=True)
class TorqueSource(_Source):
    """An ideal torque source (motor): the input ``torque`` [N m] acts on `flange_b`.

    Its reaction acts on the body that carries the shaft.

    Parameters
    ----------
    name : str
    limit : float, optional
        Largest torque in either direction [N m]. Plans and closed loops keep it; simulations warn of more, or
        clip it (``saturate=True``).
    role : "actuator" or "disturbance"
        Whether laws and plans move it, or it is zero unless it is given.
    """

    limit: float | None = parameter("N m", POSITIVE, default=None, symbolic=False)
    role: Role = choice(ROLES, default="actuator")

    effort = ("torque", "N m")
    displacement = ("angle", "rad")
    ports = (flange("flange_b"),)


@dataclass(frozen=True)
class ForceSource(_Source):
    """An ideal force source (linear motor): the input ``force`` [N] acts on `flange_b`.

    Its reaction acts on the body that carries the slide.

    Parameters
    ----------
    name : str
    limit : float, optional
        Largest force in either direction [N]. Plans and closed loops keep it; simulations warn of more, or
        clip it (``saturate=True``).
    role : "actuator" or "disturbance"
        Whether laws and plans move it, or it is zero unless it is given.
    """

    limit: float | None = parameter("N", POSITIVE, default=None, symbolic=False)
    role: Role = choice(ROLES, default="actuator")

    effort = ("force", "N")
    displacement = ("displacement", "m")
    ports = (flange("flange_b", kind=Kind.TRANSLATIONAL),)
