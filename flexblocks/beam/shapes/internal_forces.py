"""Internal forces by the method of sections: the efforts that hold a beam together at a cut.

They follow from the balance of all that is outboard: loads, weight and inertia, on the deflected beam. They converge as
the motion does, where EI v'' converges two orders later and misses what a mode cannot bend.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from flexblocks.interfaces import Coordinate, Local


@dataclass(frozen=True)
class Cut:
    """A cut just inboard of x = xi l; `label` comes before the names of its forces.

    With `hinges_only` it has the moments of bending alone.
    """

    xi: float
    label: str
    hinges_only: bool = False

    def coordinates(self, deformations: tuple[str, ...]) -> tuple[Coordinate, ...]:
        """Return the held coordinates: hinge and slide in each plane of bending, slide along x, hinge about x."""
        bent = [axis for axis in deformations if axis in ("y", "z")]
        stems = (("moment", "rad"),) if self.hinges_only else (("moment", "rad"), ("shear", "m"))
        held = [(f"{stem}_{axis}", unit) for axis in bent for stem, unit in stems]
        if not self.hinges_only:
            held.append(("tension", "m"))
        if "torsion" in deformations and not self.hinges_only:
            held.append(("torque", "rad"))
        return tuple(Coordinate(f"{self.label}{name}", unit, held=True) for name, unit in held)


@dataclass(frozen=True, eq=False)
class HeldCut:
    """A cut with the symbols of its coordinates."""

    cut: Cut
    local: Local

    @property
    def xi(self) -> float:
        return self.cut.xi

    @property
    def is_released(self) -> bool:
        """Whether the coordinates may move: in the equations of motion they are zero, and the beam is whole."""
        labels = (name for name in self.local.symbols if name.startswith(self.cut.label))
        return any(self.local.symbols[name].nnz() for name in labels)

    def __getitem__(self, name: str) -> ca.SX:
        """Return the symbol of ``"moment_y"``, ``"shear_y"``, ``"tension"`` and so on; zero if it has none."""
        return self.local.symbols.get(f"{self.cut.label}{name}", ca.SX(1, 1))
