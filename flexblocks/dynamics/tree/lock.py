"""Locks: coordinates of the arm that are held at numbers, and the outputs with what holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Lock:
    """One locked coordinate.

    Attributes
    ----------
    block, coordinate : str
        The coordinate of the arm that it would be.
    unit : str
        Its unit.
    factors : dict
        By (body, row): the block coordinates that move with it, as multiples of it.
    """

    block: str
    coordinate: str
    unit: str
    factors: Mapping[tuple[int, int], float]

    @property
    def effort(self) -> tuple[str, str]:
        """Name and unit of the output: the force or torque that holds it, positive in the coordinate's direction."""
        what, unit = ("holding_torque", "N m") if self.unit == "rad" else ("holding_force", "N")
        which = "" if self.coordinate in ("angle", "displacement") else f"_{self.coordinate}"
        return f"{self.block}.{what}{which}", unit
