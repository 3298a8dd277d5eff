"""Fixed flanges: a locked shaft or slide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flexblocks.interfaces import GUEST, Block, Coordinate, Frame, Kind, Local, Physics, flange


@dataclass(frozen=True)
class Fixed(Block):
    """A locked shaft: holds a rotational flange at zero, relative to the body that carries it.

    It locks a joint, or holds the far end of a spring.

    Parameters
    ----------
    name : str
    """

    ports = (flange("flange_b"),)

    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate("angle", "rad", rank=GUEST),)

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return {"flange_b": ("angle", 0.0)}

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del frame, local
        return Physics()


@dataclass(frozen=True)
class FixedTranslation(Fixed):
    """A locked slide: holds a translational flange at zero, relative to the body that carries it.

    Parameters
    ----------
    name : str
    """

    ports = (flange("flange_b", kind=Kind.TRANSLATIONAL),)
