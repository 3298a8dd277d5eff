"""Backlash: elastic teeth with play between two shafts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flexblocks.blocks.drives.play import Play
from flexblocks.blocks.drives.shaft import TWO_FLANGES, two_ends, two_flanges
from flexblocks.blocks.drives.torsional_spring import TorsionalSpring
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
    PlayRounding,
    parameter,
)


@dataclass(frozen=True)
class Backlash(Block):
    """A torsional spring with play between two flanges: the teeth of a gear, a worn coupling, a key.

    Parameters
    ----------
    name : str
    stiffness : float
        Of the teeth in contact [N m/rad].
    play : float
        Angle by which `flange_b` turns from one side of the teeth to the other [rad].
    damping : float
        Relative growth of the torque per rate of approach [s/rad] (Hunt and Crossley 1975); teeth never pull.
    transition : float
        Angle over which the teeth touch, relative to the play: at the first touch the torque is ``stiffness * play *
        transition / 4``, and it falls with the cube of the distance from there. Plans begin with much larger ones by
        themselves.

    Notes
    -----
    Outputs: ``deflection``, the angle of `flange_b` minus that of `flange_a` [rad]; ``torque`` from `flange_a` on
    `flange_b` [N m]. On the arm's side of a gear the play is that of the joint, on the motor's side the ratio times it.
    """

    stiffness: float = parameter("N m/rad", POSITIVE)
    play: float = parameter("rad", POSITIVE)
    damping: float = parameter("s/rad", NOT_NEGATIVE, default=0.0)
    transition: float = parameter("1", POSITIVE, default=1e-2)

    ports = TWO_FLANGES
    rounding = PlayRounding("transition", "deflection")

    def coordinates(self) -> tuple[Coordinate, ...]:
        return two_ends()

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return two_flanges()

    def stiffened(self) -> TorsionalSpring:
        return TorsionalSpring(self.name, stiffness=None)

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del frame
        deflection = local["angle_b"] - local["angle_a"]
        teeth = Play(-self.play / 2, self.play / 2, self.stiffness, self.transition * self.play, self.damping)
        torque = teeth.torque(deflection, local.rate(deflection))
        return Physics(
            loads=(Load(torque, deflection, teeth.energy(deflection)),),
            outputs={"deflection": Output(deflection, "rad"), "torque": Output(torque, "N m")},
        )
