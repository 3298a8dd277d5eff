"""Rack and pinion, or screw: a shaft that moves a slide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flexblocks.interfaces import GUEST, NONZERO, Block, Coordinate, Frame, Kind, Local, Physics, flange, parameter


@dataclass(frozen=True)
class Rack(Block):
    """A rack and pinion, belt or screw without losses: displacement of `flange_b` = `radius` * angle of `flange_a`.

    With it, all that drives, holds, brakes or loads a shaft does so to a slide: motors, servos, rotors, gears, springs,
    friction that sticks.

    Parameters
    ----------
    name : str
    radius : float
        Of the pinion or pulley [m]: what the slide moves by per radian; of a screw with the lead h per turn, h/(2 pi).
        Negative where the slide moves back as the shaft turns on. It joins coordinates when the model is assembled, and
        so cannot stay symbolic.

    Notes
    -----
    Ports: ``flange_a``, the shaft; ``flange_b``, the slide. Both move relative to the body that carries them. Seen from
    the slide an inertia J of the shaft is a mass J/radius^2, and a torque a force torque/radius.
    """

    radius: float = parameter("m", NONZERO, symbolic=False)

    ports = (flange("flange_a"), flange("flange_b", kind=Kind.TRANSLATIONAL))

    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate("angle", "rad", rank=GUEST),)

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return {"flange_a": ("angle", 1.0), "flange_b": ("angle", self.radius)}

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del frame, local
        return Physics()
