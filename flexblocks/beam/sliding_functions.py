"""Which functions a beam that slides deforms in, from the parameters of its block and what it carries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import casadi as ca
import numpy as np

from flexblocks.beam.assumed_modes import AssumedModes
from flexblocks.beam.properties.beam_profiles import EULER_BERNOULLI, BeamProfiles, RelativeProfile
from flexblocks.beam.properties.tip_body import TipBody
from flexblocks.beam.section_properties import known_property
from flexblocks.beam.shapes.clamped_mass_modes import RelativeTip, frequency_equation
from flexblocks.beam.shapes.euler_bernoulli_modes import BeamModes, clamped_modes
from flexblocks.beam.shapes.following_modes import clamped_mass_shapes
from flexblocks.beam.shapes.following_shear import shearing_following_shapes
from flexblocks.beam.shapes.shape_functions import Shapes as FixedShapes
from flexblocks.beam.shapes.shape_integrals import DiscretizedDeformation, discretized_bending, discretized_rod
from flexblocks.beam.shapes.sliding_shapes import SlidingShapes, constant_shapes
from flexblocks.beam.shapes.sliding_shear import ShearingShapes, shearing_shapes
from flexblocks.interfaces import DependentVariable, Local, Variable

Number = float | ca.SX
Shapes = TypeVar("Shapes", SlidingShapes, ShearingShapes)


@dataclass(frozen=True, eq=False)
class SlidingFunctions:
    """The functions of bending and torsion of a sliding beam, on the symbols of one evaluation.

    Attributes
    ----------
    block : SlidingBeam
        Numbers among its fields may be symbols.
    local : Local
    """

    block: Any
    local: Local

    @property
    def extension(self) -> ca.SX:
        """The length outside the hub [m]."""
        return self.local["displacement"]

    @property
    def roots(self) -> tuple[DependentVariable, ...]:
        """The roots of modes that follow the extension, with their equations and start values."""
        tip, start, names = self.relative(self.tip, self.extension), self._start_modes.b, root_names(self.block)
        return tuple(
            DependentVariable(name, frequency_equation(self.local[name], tip), value)
            for name, value in zip(names, start.tolist(), strict=True)
        )

    @cached_property
    def tip(self) -> TipBody:
        """The body that shapes the modes, in SI units."""
        return carried_tip(self.block, self.local.carried["frame_b"])

    @cached_property
    def _start_tip(self) -> TipBody:
        out = self.block.extension
        return self.tip.relative(known_property(self.block, "linear_density").nominal * out, out)

    @property
    def _start_modes(self) -> BeamModes:
        return clamped_modes(self.block.discretization.n, self._start_tip)

    def relative(self, tip: TipBody, extension: ca.SX) -> RelativeTip:
        """Return a body in units of the part outside the hub."""
        mass = self.linear_density * extension
        return RelativeTip(tip.mass / mass, tip.inertia / (mass * extension**2), tip.static_moment / (mass * extension))

    @property
    def betas(self) -> ca.SX:
        """The roots of modes that follow the extension."""
        return ca.vertcat(*[self.local[name] for name in root_names(self.block)])

    @property
    def linear_density(self) -> Number:
        """Mass per length [kg/m]."""
        return known_property(self.block, "linear_density").mean

    @property
    def polar_inertia(self) -> Number:
        """rho I about x [kg m], of a beam that twists."""
        return known_property(self.block, "polar_inertia").mean

    @property
    def torsional_rigidity(self) -> Number:
        """GJ [N m2], of a beam that twists."""
        return known_property(self.block, "torsional_rigidity").mean

    @property
    def rigidity(self) -> dict[str, Number]:
        """EI [N m2] by axis."""
        return _across(self.block, "flexural_rigidity")

    @property
    def shear_rigidity(self) -> dict[str, Number]:
        """kappa G A [N] by axis; empty where sections stay normal to the axis."""
        return _across(self.block, "shear_rigidity") if self.block.shear else {}

    @cached_property
    def shapes(self) -> tuple[dict[str, SlidingShapes], dict[tuple[str, str], tuple[ca.SX, ca.SX]]]:
        """The shapes by axis, and what those of different planes have in common where they differ."""
        block = self.block
        if block.shear and block.discretization.coordinates(block.planes[0]):
            shearing, ratios = self._shearing, self.ratios
            pairs = [(a, b) for a in ratios for b in ratios if a != b]
            overlaps = {(a, b): shearing.overlap(ratios[a], ratios[b]) for a, b in pairs}
            return {axis: shearing.at(ratio) for axis, ratio in ratios.items()}, overlaps
        if block.shapes == "fixed":
            integrals = constant_shapes(self.fixed, self.angles, counts(block.damping_time))
            return dict.fromkeys(block.planes, integrals), {}
        return dict.fromkeys(block.planes, self._following(clamped_mass_shapes)), {}

    @property
    def _shearing(self) -> ShearingShapes:
        """The shapes of a beam that shears, for any of its ratios."""
        if self.block.shapes != "fixed":
            return self._following(shearing_following_shapes)
        axis = self.block.planes[0]
        return shearing_shapes(self.plane(axis).shapes, self.angles, self._start_ratio(axis))

    def _following(self, integrals: Callable[..., Shapes]) -> Shapes:
        """Return the integrals of modes that follow the extension, which a function has of them."""
        start, tip = self._start_tip, self.relative(self.tip, self.extension)
        start_tip = RelativeTip(start.mass, start.inertia, start.static_moment)
        return integrals(self.betas, tip, self.local, "displacement", self._start_modes.b, start_tip)

    @property
    def ratios(self) -> dict[str, Number]:
        """EI/(kappa G A l^2) by axis."""
        stiff, soft = self.rigidity, self.shear_rigidity
        return {axis: stiff[axis] / (soft[axis] * self.extension**2) for axis in self.block.planes}

    @property
    def fixed(self) -> FixedShapes:
        """The functions of bending that stretch with the beam, in the shape that they have at the start."""
        return self.block.discretization.shapes(self._start_tip)

    @property
    def angles(self) -> np.ndarray:
        """1 for coordinates of bending that are angles, else 0."""
        units = [c.unit for c in self.block.discretization.coordinates(self.block.planes[0])]
        return np.array([unit == "rad" for unit in units], dtype=float)

    def _start_ratio(self, axis: str) -> float:
        """Return EI/(kappa G A l^2) at the start."""
        stiff, soft = (_across(self.block.nominal, name)[axis] for name in ("flexural_rigidity", "shear_rigidity"))
        return float(stiff / (soft * self.block.extension**2))

    def plane(self, axis: str) -> DiscretizedDeformation:
        """Return bending along an axis of the part that is outside at the start."""
        shears = self.block.shear and self.block.discretization.coordinates(axis)
        profiles = BeamProfiles(shear=RelativeProfile(1 / self._start_ratio(axis))) if shears else EULER_BERNOULLI
        return discretized_bending(self.block.discretization, self._start_tip, profiles)

    @property
    def rod(self) -> DiscretizedDeformation:
        """Torsion of the part that is outside at the start."""
        return rod_of(self.block, self.tip)


def rod_of(block: Any, tip: TipBody) -> DiscretizedDeformation:
    """Return torsion of the part that is outside at the start, with a body at its tip, in SI units."""
    polar = tip.polar_inertia / (known_property(block, "polar_inertia").nominal * block.extension)
    return discretized_rod(block.discretization, TipBody(polar))


def root_names(block: Any) -> tuple[str, ...]:
    """Return the names of the roots of modes that follow the extension."""
    assert isinstance(block.discretization, AssumedModes)
    return tuple(f"beta[{i}]" for i in range(1, block.discretization.n + 1))


def root_variables(block: Any) -> tuple[Variable, ...]:
    """Return the roots of modes that follow the extension, as variables."""
    return tuple(Variable(name, "1") for name in root_names(block))


def carried_tip(block: Any, carried: np.ndarray) -> TipBody:
    """Return the body that shapes the modes, in SI units."""
    # T = 1/2 m v.v + v.(omega x S) + ...: the entry at (v_z, omega_y) is -S_x.
    inertia = (carried[1, 1] + carried[2, 2]) / 2
    return block.discretization.tip_body(TipBody(carried[3, 3], inertia, -carried[5, 1], carried[0, 0]))


def _across(block: Any, name: str) -> dict[str, Number]:
    """Return a rigidity by axis of bending; along z by default that along y."""
    suffix = {"y": "", "z": "_z"}
    return {axis: known_property(block, f"{name}{suffix[axis]}").mean for axis in block.planes}


def counts(value: Number) -> bool:
    """Whether a parameter is a symbol, or not zero."""
    return isinstance(value, ca.SX) or value > 0
