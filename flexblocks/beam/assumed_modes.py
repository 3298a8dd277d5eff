"""The assumed-modes method: a beam that bends in its first few natural modes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from flexblocks.beam.discretization import Discretization, check_number, numbered_coordinates
from flexblocks.beam.properties.beam_profiles import EULER_BERNOULLI, BeamProfiles
from flexblocks.beam.properties.tip_body import FREE, TipBody
from flexblocks.beam.shapes.euler_bernoulli_modes import SineModes, clamped_modes
from flexblocks.beam.shapes.ritz_modes import ritz_modes, rod_modes
from flexblocks.beam.shapes.shape_functions import Shapes
from flexblocks.errors import ParameterError
from flexblocks.interfaces import Coordinate


@dataclass(frozen=True)
class AssumedModes(Discretization):
    """The beam deforms in its first `n` modes.

    Parameters
    ----------
    n : int
        Modes in each plane of bending, and of extension and torsion where there is any.
    tip : "auto", "free", "pinned" or TipBody
        Boundary condition at the tip. ``"auto"``: clamped-mass, with everything outboard, rigid and in the zero
        configuration. ``"free"``: clamped-free; assembly warns if the beam carries a body for which it is far off,
        which ``fb.TipBody(0.0)``, a free tip that is meant, prevents. A `TipBody`: clamped-mass, with that mass [kg],
        inertia [kg m2] and static moment [kg m]. ``"pinned"``: pinned at both ends; the block's inlet is tangent to the
        beam, and its chord turns against it.

    Raises
    ------
    ParameterError
        `n` is not a whole number > 0, or `tip` is something else.

    Notes
    -----
    Coordinates: ``bending_y[i]``, ``bending_z[i]`` [m], ``extension[i]`` [m], ``torsion[i]`` [rad], i = 1..n, which
    scale shapes of mean square 1 (weighted with the mass where that varies along the beam).

    Modes of a uniform beam are the closed-form ones. Those of a beam whose properties vary, that shears or whose
    sections have inertia, and all of extension and torsion, come from Ritz's method with strains that are
    polynomials of high degree on each piece on which the properties are smooth (see
    `flexblocks.beam.shapes.ritz_modes`); they agree with closed forms to 1e-9 and better. Pinned ones stay sines.
    """

    n: int
    tip: Literal["auto", "free", "pinned"] | TipBody = "auto"

    keyword = "modes"

    def __post_init__(self) -> None:
        check_number("AssumedModes", self.n, most=200)
        if not isinstance(self.tip, TipBody) and self.tip not in ("free", "auto", "pinned"):
            raise ParameterError(
                f"AssumedModes: tip = {self.tip!r}; must be 'free', 'auto', 'pinned' or a fb.TipBody(...)."
            )

    def coordinates(self, axis: str) -> tuple[Coordinate, ...]:
        return numbered_coordinates(axis, self.n)

    def richer(self) -> AssumedModes:
        return replace(self, n=self.n + 1)

    def audited_by(self) -> AssumedModes:
        return replace(self, n=2 * self.n + 2)

    def tip_body(self, carried: TipBody) -> TipBody:
        if isinstance(self.tip, TipBody):
            return self.tip
        return carried if self.tip == "auto" else FREE

    def feels_tip(self, damped: bool) -> bool:
        del damped
        return self.tip in ("auto", "pinned")

    @property
    def can_shear(self) -> bool:
        return self.tip != "pinned"

    @property
    def can_slide(self) -> bool:
        return self.tip != "pinned"

    def has_coordinates_of(self, other: Discretization) -> bool:
        """A mode is the same one, however many there are."""
        return isinstance(other, AssumedModes) and self.tip == other.tip

    def suited(self) -> AssumedModes:
        return replace(self, tip="auto") if self.tip == "free" else self

    def shapes(self, tip: TipBody, profiles: BeamProfiles = EULER_BERNOULLI) -> Shapes:
        if self.tip == "pinned":
            return SineModes(self.n)
        return clamped_modes(self.n, tip) if profiles.is_uniform_euler_bernoulli else ritz_modes(self.n, tip, profiles)

    def rod_shapes(self, tip: TipBody, profiles: BeamProfiles = EULER_BERNOULLI) -> Shapes:
        return rod_modes(self.n, tip, profiles)
