"""Proportional-derivative servo drive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flexblocks.blocks.drives.shaft import one_end, one_flange
from flexblocks.interfaces import (
    NOT_NEGATIVE,
    Block,
    Coordinate,
    Frame,
    Load,
    Local,
    Output,
    Physics,
    Variable,
    flange,
    parameter,
)


@dataclass(frozen=True)
class PDServo(Block):
    """A PD servo: a motor under proportional-derivative control of its angle.

    Parameters
    ----------
    name : str
    kp : float
        Torque per error of the angle [N m/rad].
    kd : float
        Torque per error of the rate [N m s/rad].

    Notes
    -----
    Inputs ``reference`` [rad] and ``reference_rate`` [rad/s]; output ``torque`` [N m],
    kp (reference - angle) + kd (reference_rate - rate), which acts on `flange_b` and reacts on the body that carries
    the shaft. For a feed-forward torque put a TorqueSource on the same shaft.

    The two inputs are one signal: simulations derive the rate from the reference unless it is given, it is zero at
    rest, and plans integrate it. Without `kd` nothing depends on it.
    """

    kp: float = parameter("N m/rad", NOT_NEGATIVE)
    kd: float = parameter("N m s/rad", NOT_NEGATIVE, default=0.0)

    ports = (flange("flange_b"),)

    def coordinates(self) -> tuple[Coordinate, ...]:
        return one_end()

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return one_flange()

    def inputs(self) -> tuple[Variable, ...]:
        return (
            Variable("reference", "rad", role="reference"),
            Variable("reference_rate", "rad/s", role="reference_rate", derivative_of="reference"),
        )

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del frame
        angle = local["angle"]
        torque = self.kp * (local["reference"] - angle) + self.kd * (local["reference_rate"] - local.rate(angle))
        return Physics(loads=(Load(torque, angle),), outputs={"torque": Output(torque, "N m")})
