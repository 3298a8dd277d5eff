"""Hollow rectangular section."""

from __future__ import annotations

from dataclasses import dataclass

from flexblocks.beam.properties.section import Section
from flexblocks.errors import ParameterError


@dataclass(frozen=True, kw_only=True)
class Box(Section):
    """A hollow rectangle with walls of one thickness.

    Parameters
    ----------
    height, width : float
        Overall, along y and along z [m].
    wall : float
        [m]

    Notes
    -----
    Torsion constant by Bredt's second formula for thin walls, 4 A^2 wall/perimeter with the area A and the perimeter of
    the middle line. The walls along the shear, over the full size, carry it.
    """

    height: float
    width: float
    wall: float

    def _check(self) -> None:
        if 2 * self.wall >= min(self.height, self.width):
            raise ParameterError(
                f"Box: wall = {self.wall:g} m with height = {self.height:g} m, width = {self.width:g} m; must leave "
                "a hole: 2 wall < height and width. A solid one is a Rectangle."
            )

    @property
    def area(self) -> float:
        return self.height * self.width - (self.height - 2 * self.wall) * (self.width - 2 * self.wall)

    def second_moment(self, axis: str) -> float:
        along, across = (self.height, self.width) if axis == "y" else (self.width, self.height)
        return (across * along**3 - (across - 2 * self.wall) * (along - 2 * self.wall) ** 3) / 12

    @property
    def torsion_constant(self) -> float:
        height, width = self.height - self.wall, self.width - self.wall
        return 2 * (height * width) ** 2 * self.wall / (height + width)

    def shear_area(self, axis: str, poissons_ratio: float) -> float:
        del poissons_ratio
        return 2 * self.wall * (self.height if axis == "y" else self.width)

    def extreme_fibre(self, axis: str) -> float:
        return (self.height if axis == "y" else self.width) / 2
