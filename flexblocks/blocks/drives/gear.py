"""Ideal gear: two flanges with a fixed ratio."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flexblocks.blocks.drives.shaft import TWO_FLANGES
from flexblocks.interfaces import GUEST, NONZERO, Block, Coordinate, Frame, Local, Physics, parameter


@dataclass(frozen=True)
class Gear(Block):
    """A rigid gear without losses: angle of `flange_a` = `ratio` * angle of `flange_b`.

    Parameters
    ----------
    name : str
    ratio : float
        Turns of `flange_a` (the motor's side) per turn of `flange_b` (the arm's side). It joins coordinates when the
        model is assembled, and so cannot stay symbolic.
    """

    ratio: float = parameter("1", NONZERO, symbolic=False)

    ports = TWO_FLANGES

    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate("angle", "rad", rank=GUEST),)

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return {"flange_a": ("angle", self.ratio), "flange_b": ("angle", 1.0)}

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del frame, local
        return Physics()
