"""Track: a flexible beam along which a carriage slides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import casadi as ca

from flexblocks.beam.from_block import beam_from_block
from flexblocks.blocks.bodies.flexible_beam import FlexibleBeam
from flexblocks.errors import ParameterError
from flexblocks.interfaces import (
    NOT_NEGATIVE,
    POSITIVE,
    Coordinate,
    Frame,
    Kind,
    Local,
    Physics,
    StateRange,
    flange,
    inlet,
    outlet,
    parameter,
)

POSITION = "position"
CARRIAGE = "carriage"


@dataclass(frozen=True)
class Track(FlexibleBeam):
    """A flexible beam with a joint that slides along it, bent as it is: a trolley on a boom, a crane on its runway.

    It has all arguments of a `FlexibleBeam`, and these.

    Parameters
    ----------
    damping : float
        Viscous friction of the carriage on the track [N s/m].
    start : float, optional
        Start value of ``position`` [m]; by default half the length.
    low, high : float, optional
        Limits of ``position`` [m] within the length. Plans keep them; they exert no force, and motions beyond them are
        warned of.
    max_speed : float, optional
        Largest speed in both directions [m/s], kept and warned of likewise.

    Raises
    ------
    ParameterError
        The discretisation has kinks, at which a carriage would be hit: `RigidSegments`, and elements with `shear`.

    Notes
    -----
    Ports: ``frame_a``, ``frame_b``; ``carriage``, the frame of the section where the carriage is, which turns as the
    section does; ``axis``, the drive side of the slide along the track, whose reaction acts on the section under the
    carriage. The coordinate ``position`` is the distance x [m] from `frame_a` along the undeformed axis, between 0 and
    the length, beside those of the beam. What the carriage carries is not felt by shapes with ``tip="auto"``.

    The place v(x, t) = sum phi_i(x/l) q_i(t) of the carriage has the acceleration v_tt + 2 v_xt x' + v_xx x'^2
    + v_x x'' (Fryba 1999, "Vibration of solids and structures under moving loads", chapter 8: the moving mass): the
    terms of Coriolis, of the curvature and of the slope follow from the frame, as do the forces on the beam.

    Shapes are piecewise polynomials of the symbol of the position; elements have a continuous slope, but their
    curvature jumps at nodes. Beyond the ends of the beam motions stop.
    """

    damping: float = parameter("N s/m", NOT_NEGATIVE, default=0.0)
    start: float | None = parameter("m", NOT_NEGATIVE, default=None, symbolic=False)
    low: float | None = parameter("m", NOT_NEGATIVE, default=None, symbolic=False)
    high: float | None = parameter("m", POSITIVE, default=None, symbolic=False)
    max_speed: float | None = parameter("m/s", POSITIVE, default=None, symbolic=False)

    ports = (inlet(), outlet(), outlet(CARRIAGE), flange("axis", kind=Kind.TRANSLATIONAL, optional=True))

    def __post_init__(self) -> None:
        super().__post_init__()
        chosen = self.discretization
        if not chosen.can_guide or (self.shear and not chosen.can_guide_in_shear):
            told = " with shear" if chosen.can_guide else ""
            raise ParameterError(
                f"{self.where}: discretization = {chosen!r}{told}; its axis has kinks, at which the carriage would be "
                "hit. Take fb.AssumedModes(n), fb.StrainModes(n), or fb.FiniteElements(n) without shear."
            )
        low, high = self._limits
        if not (low < high <= self.length and low <= self._start <= high):
            raise ParameterError(
                f"{self.where}: low = {low:g} m, start = {self._start:g} m, high = {high:g} m; must be in this order, "
                f"low < high, on the track, from 0 to {self.length:g} m."
            )

    @property
    def _start(self) -> float:
        nominal = self.nominal
        low, high = nominal._limits
        return (low + high) / 2 if nominal.start is None else nominal.start

    @property
    def _limits(self) -> tuple[float, float]:
        low, high = self.nominal.low, self.nominal.high
        return 0.0 if low is None else low, self.nominal.length if high is None else high

    def coordinates(self) -> tuple[Coordinate, ...]:
        place = Coordinate(POSITION, "m", self._start, reference=self._start, low=0.0, high=self.nominal.length)
        return (*super().coordinates(), place)

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return {"axis": (POSITION, 1.0)}

    def state_ranges(self) -> Mapping[str, StateRange]:
        ranges = {}
        if self.nominal.low is not None or self.nominal.high is not None:
            told = "a limit of the carriage, which only plans keep; fb.EndStops stop it in simulations, too"
            ranges[POSITION] = StateRange(told, *self._limits, kept=True)
        if (fastest := self.nominal.max_speed) is not None:
            told = "max_speed of the carriage, which only plans keep; drive it more slowly"
            ranges[f"der({POSITION})"] = StateRange(told, -fastest, fastest, kept=True)
        return ranges

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        assert frame is not None
        others = replace(local, outlets=tuple(name for name in local.outlets if name != CARRIAGE))
        beam = super().physics(frame, others)
        dissipation = ca.SX(beam.dissipation) + self.damping * local.rate(local[POSITION]) ** 2 / 2
        outlets = dict(beam.outlets)
        if CARRIAGE in local.outlets:
            flexure = self.discretization.flexure(beam_from_block(self, self._felt(local.carried)), frame, local)
            outlets[CARRIAGE] = flexure.moving_section(local[POSITION] / self.length)
        return replace(beam, outlets=outlets, dissipation=dissipation)
