"""Three-axis accelerometer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from flexblocks.interfaces import Block, Frame, Local, Output, Physics, choice, inlet


@dataclass(frozen=True)
class Accelerometer(Block):
    """An ideal three-axis accelerometer at the origin of `frame_a`, without mass.

    Parameters
    ----------
    name : str
    measures : "acceleration" or "specific force"
        The acceleration relative to the world; or that minus the acceleration of free fall, as real sensors measure it:
        at rest they read 1 g upwards.

    Notes
    -----
    Outputs ``acceleration_x``, ``acceleration_y``, ``acceleration_z`` [m/s2] in the axes of `frame_a`, which on a
    beam are those of the bent section.
    """

    measures: Literal["acceleration", "specific force"] = choice(
        ("acceleration", "specific force"), default="acceleration"
    )

    ports = (inlet(),)

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del frame
        reading = local.acceleration
        if self.measures == "specific force":
            reading = reading - local.gravity
        return Physics(outputs={f"acceleration_{axis}": Output(reading[i], "m/s2") for i, axis in enumerate("xyz")})
