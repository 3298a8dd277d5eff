"""Torsional spring and damper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flexblocks.blocks.drives.shaft import TWO_FLANGES, two_ends, two_flanges
from flexblocks.interfaces import NOT_NEGATIVE, Block, Coordinate, Frame, Local, Output, Physics, parameter


@dataclass(frozen=True)
class TorsionalSpring(Block):
    """A linear torsional spring and damper between two flanges (Subudhi & Morris 2002, eq 21).

    Parameters
    ----------
    name : str
    stiffness : float
        [N m/rad]
    damping : float
        [N m s/rad]

    Notes
    -----
    Output ``deflection``: angle of `flange_b` minus angle of `flange_a` [rad].
    """

    stiffness: float = parameter("N m/rad", NOT_NEGATIVE)
    damping: float = parameter("N m s/rad", NOT_NEGATIVE, default=0.0)

    ports = TWO_FLANGES

    def coordinates(self) -> tuple[Coordinate, ...]:
        return two_ends()

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return two_flanges()

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del frame
        deflection = local["angle_b"] - local["angle_a"]
        return Physics(
            potential=self.stiffness * deflection**2 / 2,
            dissipation=self.damping * local.rate(deflection) ** 2 / 2,
            outputs={"deflection": Output(deflection, "rad")},
        )
