"""Torsional spring and damper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import casadi as ca

from flexblocks.blocks.drives.shaft import TWO_FLANGES, one_end, two_ends, two_flanges
from flexblocks.errors import ParameterError
from flexblocks.interfaces import NOT_NEGATIVE, Block, Coordinate, Frame, Local, Output, Physics, parameter


@dataclass(frozen=True)
class TorsionalSpring(Block):
    """A linear torsional spring and damper between two flanges (Subudhi & Morris 2002, eq 21).

    Parameters
    ----------
    name : str
    stiffness : float or None
        [N m/rad]; None is a rigid shaft, whose ends share one coordinate.
    damping : float
        [N m s/rad]
    free_angle : float
        Angle of `flange_b` minus angle of `flange_a` at which the spring is at rest [rad].

    Raises
    ------
    ParameterError
        A rigid shaft with a free angle, or a value out of its range.

    Notes
    -----
    Output ``deflection``: angle of `flange_b` minus angle of `flange_a` [rad].
    """

    stiffness: float | None = parameter("N m/rad", NOT_NEGATIVE, optional=True)
    damping: float = parameter("N m s/rad", NOT_NEGATIVE, default=0.0)
    free_angle: float = parameter("rad", default=0.0, symbolic=False)

    ports = TWO_FLANGES

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stiffness is None and self.free_angle:
            raise ParameterError(
                f"{self.where}: free_angle = {self.free_angle:g} rad, stiffness = None; the ends of a rigid shaft "
                "share one angle. Leave free_angle out, or give a stiffness."
            )

    def coordinates(self) -> tuple[Coordinate, ...]:
        return one_end() if self.stiffness is None else two_ends()

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return dict.fromkeys(("flange_a", "flange_b"), ("angle", 1.0)) if self.stiffness is None else two_flanges()

    def stiffened(self) -> TorsionalSpring:
        return self if self.stiffness is None or self.free_angle else replace(self, stiffness=None)

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del frame
        if self.stiffness is None:
            return Physics(outputs={"deflection": Output(ca.SX(1, 1), "rad")})
        deflection = local["angle_b"] - local["angle_a"]
        return Physics(
            potential=self.stiffness * (deflection - self.free_angle) ** 2 / 2,
            dissipation=self.damping * local.rate(deflection) ** 2 / 2,
            outputs={"deflection": Output(deflection, "rad")},
        )
