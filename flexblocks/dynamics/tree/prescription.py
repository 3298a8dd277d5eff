"""Prescribed coordinate: its motion is a function of time, whatever torque or force that takes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Prescription:
    """A coordinate whose acceleration is an input, as of a shaker or a rig.

    Attributes
    ----------
    block, coordinate : str
    unit : str
        Of the coordinate.
    column : int
        Its position among the arm's coordinates.
    input : int
        Position of its acceleration among the arm's inputs.
    """

    block: str
    coordinate: str
    unit: str
    column: int
    input: int

    @property
    def name(self) -> str:
        return f"{self.block}.{self.coordinate}"

    @property
    def acceleration(self) -> tuple[str, str]:
        """Name and unit of the input."""
        return self._named("prescribed_acceleration"), f"{self.unit}/s2"

    @property
    def effort(self) -> tuple[str, str]:
        """Name and unit of the output: the torque or force that drives it, positive in the coordinate's direction."""
        what, unit = ("driving_torque", "N m") if self.unit == "rad" else ("driving_force", "N")
        return self._named(what), unit

    def _named(self, what: str) -> str:
        which = "" if self.coordinate in ("angle", "displacement") else f"_{self.coordinate}"
        return f"{self.block}.{what}{which}"
