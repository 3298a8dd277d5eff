"""How finely a FlexibleBeam bends: an argument of the block, not another model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from flexblocks.beam.boundary import SineModes, clamped_modes
from flexblocks.beam.shapes import NoShapes, Shapes
from flexblocks.beam.tip_body import FREE, TipBody
from flexblocks.errors import ParameterError


class Discretization(ABC):
    """Base of all: gives the shape functions in one plane of bending."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of coordinates in each plane of bending."""

    @abstractmethod
    def tip_body(self, carried: TipBody, beam_mass: float, length: float) -> TipBody:
        """Return the tip body with which the shapes are orthogonal, in units of the beam (m, m l^2, m l).

        Parameters
        ----------
        carried : TipBody
            All that hangs on the tip.
        beam_mass, length : float
            [kg], [m]
        """

    @abstractmethod
    def shapes(self, tip: TipBody) -> Shapes:
        """Return the shape functions; `tip` in units of the beam."""


@dataclass(frozen=True)
class Rigid(Discretization):
    """The beam does not bend."""

    @property
    def size(self) -> int:
        return 0

    def tip_body(self, carried: TipBody, beam_mass: float, length: float) -> TipBody:
        del carried, beam_mass, length
        return FREE

    def shapes(self, tip: TipBody) -> Shapes:
        del tip
        return NoShapes()


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
    """

    n: int
    tip: str | TipBody = "free"

    def __post_init__(self) -> None:
        if not isinstance(self.n, int) or isinstance(self.n, bool) or self.n < 1:
            raise ParameterError(
                f"AssumedModes: n = {self.n!r}; must be a whole number > 0 (Rigid() is a beam without modes)."
            )
        if not isinstance(self.tip, TipBody) and self.tip not in ("free", "auto", "pinned"):
            raise ParameterError(
                f"AssumedModes: tip = {self.tip!r}; must be 'free', 'auto', 'pinned' or a fb.TipBody(...)."
            )

    @property
    def size(self) -> int:
        return self.n

    def tip_body(self, carried: TipBody, beam_mass: float, length: float) -> TipBody:
        if isinstance(self.tip, TipBody):
            return self.tip.relative(beam_mass, length)
        return carried.relative(beam_mass, length) if self.tip == "auto" else FREE

    def shapes(self, tip: TipBody) -> Shapes:
        return SineModes(self.n) if self.tip == "pinned" else clamped_modes(self.n, tip)
