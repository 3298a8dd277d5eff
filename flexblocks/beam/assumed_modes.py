"""Assumed modes: the beam bends in its first few natural modes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from flexblocks.beam.boundary import SineModes, clamped_modes
from flexblocks.beam.discretization import Discretization, check_number
from flexblocks.beam.shapes import Shapes
from flexblocks.beam.tip_body import FREE, TipBody
from flexblocks.errors import ParameterError
from flexblocks.physics import Coordinate


@dataclass(frozen=True)
class AssumedModes(Discretization):
    """The beam bends in its first `n` modes.

    Parameters
    ----------
    n : int
        Modes in each plane of bending.
    tip : "free", "auto", "pinned" or TipBody
        Boundary condition at the tip. ``"free"``: clamped-free. A `TipBody`: clamped-mass, with that mass [kg], inertia
        [kg m2] and static moment [kg m]. ``"auto"``: clamped-mass, with everything outboard, rigid and in the zero
        configuration. ``"pinned"``: pinned at both ends; the block's inlet is tangent to the beam, and its
        chord turns against it.

    Raises
    ------
    ParameterError
        `n` is not a whole number > 0, or `tip` is none of these.

    Notes
    -----
    Coordinates: ``bending_y[i]``, ``bending_z[i]`` [m], i = 1..n, which scale shapes of mean square 1.
    """

    n: int
    tip: str | TipBody = "free"

    def __post_init__(self) -> None:
        check_number("AssumedModes", self.n)
        if not isinstance(self.tip, TipBody) and self.tip not in ("free", "auto", "pinned"):
            raise ParameterError(
                f"AssumedModes: tip = {self.tip!r}; must be 'free', 'auto', 'pinned' or a fb.TipBody(...)."
            )

    def coordinates(self, axis: str) -> tuple[Coordinate, ...]:
        return tuple(Coordinate(f"bending_{axis}[{i}]", "m") for i in range(1, self.n + 1))

    def richer(self) -> AssumedModes:
        return replace(self, n=self.n + 1)

    def audited_by(self) -> AssumedModes:
        return replace(self, n=2 * self.n + 2)

    def tip_body(self, carried: TipBody) -> TipBody:
        if isinstance(self.tip, TipBody):
            return self.tip
        return carried if self.tip == "auto" else FREE

    def shapes(self, tip: TipBody) -> Shapes:
        return SineModes(self.n) if self.tip == "pinned" else clamped_modes(self.n, tip)
