"""Finite elements: cubic between nodes, with deflection and slope of the nodes as coordinates."""

from __future__ import annotations

from dataclasses import dataclass

from flexblocks.beam.discretization import Discretization, check_number
from flexblocks.beam.hermite import HermiteShapes
from flexblocks.beam.shapes import Shapes
from flexblocks.beam.tip_body import TipBody
from flexblocks.physics import Coordinate


@dataclass(frozen=True)
class FiniteElements(Discretization):
    """The beam is `n` equal Hermite elements, clamped at the root.

    Parameters
    ----------
    n : int
        Elements along the beam.

    Raises
    ------
    ParameterError
        `n` is not a whole number > 0.

    Notes
    -----
    Coordinates of node k = 1..n at x = k l/n: ``deflection_y[k]`` [m] and ``slope_y[k]`` [rad], the derivative dv/dx,
    so that a positive slope turns the section about +z; ``deflection_z[k]`` and ``slope_z[k]``, dw/dx, which turns it
    about -y. Node n is the tip. Mass and stiffness matrices are the consistent ones, and bands.

    Frequencies converge from above with error (1/n)^4, static deflections under forces and moments at nodes are exact.
    Modal damping counts in everything outboard, rigid and in the zero configuration, as the tip body.
    """

    n: int

    def __post_init__(self) -> None:
        check_number("FiniteElements", self.n)

    def coordinates(self, axis: str) -> tuple[Coordinate, ...]:
        stems = ((f"deflection_{axis}", "m"), (f"slope_{axis}", "rad"))
        return tuple(Coordinate(f"{stem}[{k}]", unit) for k in range(1, self.n + 1) for stem, unit in stems)

    def richer(self) -> FiniteElements:
        return FiniteElements(self.n + 1)

    def audited_by(self) -> FiniteElements:
        return FiniteElements(2 * self.n)

    def shapes(self, tip: TipBody) -> Shapes:
        del tip
        return HermiteShapes(self.n)
