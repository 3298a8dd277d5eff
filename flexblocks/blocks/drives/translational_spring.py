"""Translational spring and damper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flexblocks.interfaces import (
    GUEST,
    NOT_NEGATIVE,
    Block,
    Coordinate,
    Frame,
    Kind,
    Local,
    Output,
    Physics,
    flange,
    parameter,
)


@dataclass(frozen=True)
class TranslationalSpring(Block):
    """A linear spring and damper between two translational flanges, as of two slides in one line.

    It has its direction from the slides, and so may be of any length, zero and less; a `SpringDamper` acts along the
    line between two points in space.

    Parameters
    ----------
    name : str
    stiffness : float
        [N/m]
    damping : float
        [N s/m]
    free_length : float
        Displacement of `flange_b` minus displacement of `flange_a` at which the spring is at rest [m].

    Notes
    -----
    Outputs ``length``, displacement of `flange_b` minus displacement of `flange_a` [m], and ``force`` [N], positive if
    it pushes the flanges apart. Its far end is held by a `FixedTranslation`.
    """

    stiffness: float = parameter("N/m", NOT_NEGATIVE)
    damping: float = parameter("N s/m", NOT_NEGATIVE, default=0.0)
    free_length: float = parameter("m", default=0.0)

    ports = (flange("flange_a", kind=Kind.TRANSLATIONAL), flange("flange_b", kind=Kind.TRANSLATIONAL))

    def coordinates(self) -> tuple[Coordinate, ...]:
        return tuple(Coordinate(f"displacement_{end}", "m", rank=GUEST) for end in "ab")

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return {f"flange_{end}": (f"displacement_{end}", 1.0) for end in "ab"}

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del frame
        length = local["displacement_b"] - local["displacement_a"]
        stretch, rate = length - self.free_length, local.rate(length)
        return Physics(
            potential=self.stiffness * stretch**2 / 2,
            dissipation=self.damping * rate**2 / 2,
            outputs={
                "length": Output(length, "m"),
                "force": Output(-self.stiffness * stretch - self.damping * rate, "N"),
            },
        )
