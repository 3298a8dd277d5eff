"""End stops of a shaft."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flexblocks.blocks.drives.play import Play
from flexblocks.blocks.drives.shaft import one_end, one_flange
from flexblocks.errors import ParameterError
from flexblocks.interfaces import (
    NOT_NEGATIVE,
    POSITIVE,
    Block,
    Coordinate,
    Frame,
    Load,
    Local,
    Output,
    Physics,
    flange,
    parameter,
)


@dataclass(frozen=True)
class EndStops(Block):
    """Elastic end stops between a shaft and the body that carries it.

    Parameters
    ----------
    name : str
    lower, upper : float
        Angles of the shaft at which it touches the stops [rad].
    stiffness : float
        Of either stop: torque per angle beyond it [N m/rad].
    damping : float
        Relative growth of the torque per rate of approach [s/rad] (Hunt and Crossley 1975): what runs in slowly at the
        rate w keeps about 1 - 2/3 damping w of it.
    transition : float
        Angle over which a stop sets in, relative to the range between both: at the first touch the torque is
        ``stiffness * (upper - lower) * transition / 4``, and it falls with the cube of the distance from there.

    Notes
    -----
    Stops push only. Plans keep ``angle`` between them; simulations run into them. By a `Rack` they are those of a
    slide. Outputs: ``angle`` [rad], ``torque`` on the shaft [N m].
    """

    lower: float = parameter("rad")
    upper: float = parameter("rad")
    stiffness: float = parameter("N m/rad", POSITIVE)
    damping: float = parameter("s/rad", NOT_NEGATIVE, default=0.0)
    transition: float = parameter("1", POSITIVE, default=1e-3)

    ports = (flange("flange_b"),)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.upper <= self.lower:
            raise ParameterError(f"{self.where}: upper = {self.upper:g} rad; must be > lower, {self.lower:g} rad.")

    def coordinates(self) -> tuple[Coordinate, ...]:
        return one_end()

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return one_flange()

    def output_ranges(self) -> Mapping[str, tuple[float, float]]:
        return {"angle": (self.lower, self.upper)}

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del frame
        angle = local["angle"]
        transition = self.transition * (self.upper - self.lower)
        play = Play(self.lower, self.upper, self.stiffness, transition, self.damping)
        torque = play.torque(angle, local.rate(angle))
        return Physics(
            loads=(Load(torque, angle, play.energy(angle)),),
            outputs={"angle": Output(angle, "rad"), "torque": Output(torque, "N m")},
        )
