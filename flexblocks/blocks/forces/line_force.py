"""Force along the line between two points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flexblocks.interfaces import (
    POSITIVE,
    ROLES,
    AttachedFrame,
    ForceElement,
    Load,
    Local,
    Output,
    Physics,
    Role,
    Variable,
    attachment,
    choice,
    parameter,
)


@dataclass(frozen=True)
class LineForce(ForceElement):
    """An ideal linear actuator: the input ``force`` [N] along the line between `frame_a` and `frame_b`.

    A positive force pushes the ends apart.

    Parameters
    ----------
    name : str
    limit : float, optional
        Largest force in either direction [N]. Plans and closed loops keep it; simulations warn of more, or
        clip it (``saturate=True``).
    role : "actuator" or "disturbance"
        Whether laws and plans move it, or it is zero unless it is given.

    Notes
    -----
    Outputs ``length`` [m], ``speed`` [m/s] at which it grows, and ``power`` [W] to the arm.
    """

    limit: float | None = parameter("N", POSITIVE, default=None, symbolic=False)
    role: Role = choice(ROLES, default="actuator")

    ports = (attachment("frame_a"), attachment("frame_b"))

    def inputs(self) -> tuple[Variable, ...]:
        return (Variable("force", "N", limit=self.limit, role=self.role),)

    def physics(self, frames: Mapping[str, AttachedFrame], local: Local) -> Physics:
        length, force = frames["frame_b"].distance(frames["frame_a"]), local["force"]
        speed = local.rate(length)
        return Physics(
            loads=(Load(force, length),),
            outputs={
                "length": Output(length, "m"),
                "speed": Output(speed, "m/s"),
                "power": Output(force * speed, "W"),
            },
        )
