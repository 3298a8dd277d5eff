"""Ideal translational gear: two slides with a fixed ratio."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flexblocks.interfaces import GUEST, NONZERO, Block, Coordinate, Frame, Kind, Local, Physics, flange, parameter


@dataclass(frozen=True)
class TranslationalGear(Block):
    """A lever or block and tackle without losses: displacement of `flange_a` = `ratio` * displacement of `flange_b`.

    It couples slides, as those of a telescope or of the fingers of a gripper; `Rack` couples a slide with a shaft.

    Parameters
    ----------
    name : str
    ratio : float
        Displacement of `flange_a` per displacement of `flange_b`. It joins coordinates when the model is assembled, and
        so cannot stay symbolic.
    """

    ratio: float = parameter("1", NONZERO, symbolic=False)

    ports = (flange("flange_a", kind=Kind.TRANSLATIONAL), flange("flange_b", kind=Kind.TRANSLATIONAL))

    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate("displacement", "m", rank=GUEST),)

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return {"flange_a": ("displacement", self.ratio), "flange_b": ("displacement", 1.0)}

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del frame, local
        return Physics()
