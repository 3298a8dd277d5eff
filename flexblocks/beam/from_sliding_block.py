"""An axially moving beam from the parameters of its block: kinematics, energies and dissipation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.beam.assumed_modes import AssumedModes
from flexblocks.beam.kinematics.sliding_damping import SlidingRates, critical_of_fixed, critical_of_following
from flexblocks.beam.kinematics.sliding_deflection import SlidingFlexure
from flexblocks.beam.kinematics.sliding_torsion import SlidingTorsion
from flexblocks.beam.properties.beam_profiles import EULER_BERNOULLI, BeamProfiles, RelativeProfile
from flexblocks.beam.properties.tip_body import TipBody
from flexblocks.beam.shapes.clamped_mass_modes import RelativeTip, frequency_equation
from flexblocks.beam.shapes.euler_bernoulli_modes import BeamModes, clamped_modes
from flexblocks.beam.shapes.following_modes import clamped_mass_shapes
from flexblocks.beam.shapes.shape_integrals import DiscretizedDeformation, discretized_bending, discretized_rod
from flexblocks.beam.shapes.sliding_shapes import SlidingShapes, constant_shapes, twisting_shapes
from flexblocks.beam.shapes.sliding_shear import ShearingShapes, shearing_shapes
from flexblocks.interfaces import DependentVariable, Frame, Local, Variable

Number = float | ca.SX


@dataclass(frozen=True, eq=False)
class SlidingBlock:
    """What a block of a sliding beam states, on the symbols of one evaluation.

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

    @cached_property
    def flexure(self) -> Callable[[Frame], SlidingFlexure]:
        """The deformed beam, by the frame at the mouth of the hub."""
        block, local = self.block, self.local
        shapes, overlaps = self._shapes

        def flexure(root: Frame) -> SlidingFlexure:
            return SlidingFlexure(
                root=root,
                extension=self.extension,
                length=block.length,
                linear_density=block.linear_density,
                rigidity=self._rigidity,
                shapes=shapes,
                amplitudes=self._by_axis(lambda q: q, 0),
                speeds=self._by_axis(local.rate, 0),
                angles=self._by_axis(lambda q: q, -1),
                rate=local.rate,
                shear_rigidity=self._shear_rigidity,
                overlaps=overlaps,
                torsion=self._torsion,
            )

        return flexure

    def dissipation(self, flexure: SlidingFlexure) -> ca.SX:
        """Return the dissipation [W] of the beam's own damping."""
        block, torsion = self.block, flexure.torsion
        speed = self.local.rate(self.extension)
        rates = SlidingRates(
            self.extension, speed, self._rigidity, self._shear_rigidity, flexure.amplitudes, flexure.speeds
        )
        if _counts(block.damping_time):
            bent = rates.of_material(flexure.shapes, block.damping_time)
            return bent + torsion.dissipation_of_material(block.damping_time) if torsion else bent
        if not _counts(block.damping_ratio):
            return ca.SX(1, 1)
        tip = self._relative(self._tip, self.extension)
        if block.shapes == "fixed":
            critical = {axis: critical_of_fixed(self._plane(axis), tip) for axis in block.bending}
        else:
            following = critical_of_following(self._betas, flexure.shapes[block.bending[0]])
            critical = dict.fromkeys(block.bending, following)
        bent = rates.of_modes(critical, block.damping_ratio, block.linear_density)
        if torsion is None:
            return bent
        tip = RelativeTip(self._tip.polar_inertia / (block.polar_inertia * self.extension), 0.0, 0.0)
        return bent + torsion.dissipation_of_modes(critical_of_fixed(self._rod, tip), block.damping_ratio)

    @property
    def roots(self) -> tuple[DependentVariable, ...]:
        """The roots of modes that follow the extension, with their equations and start values."""
        tip, start, names = self._relative(self._tip, self.extension), self._start_modes.b, root_names(self.block)
        return tuple(
            DependentVariable(name, frequency_equation(self.local[name], tip), value)
            for name, value in zip(names, start.tolist(), strict=True)
        )

    @cached_property
    def _tip(self) -> TipBody:
        return carried_tip(self.block, self.local.carried)

    @cached_property
    def _start_tip(self) -> TipBody:
        out = self.block.extension
        return self._tip.relative(self.block.nominal.linear_density * out, out)

    @property
    def _start_modes(self) -> BeamModes:
        return clamped_modes(self.block.discretization.n, self._start_tip)

    def _relative(self, tip: TipBody, extension: ca.SX) -> RelativeTip:
        mass = self.block.linear_density * extension
        return RelativeTip(tip.mass / mass, tip.inertia / (mass * extension**2), tip.static_moment / (mass * extension))

    @property
    def _betas(self) -> ca.SX:
        return ca.vertcat(*[self.local[name] for name in root_names(self.block)])

    @property
    def _rigidity(self) -> dict[str, Number]:
        return _across(self.block, "flexural_rigidity")

    @property
    def _shear_rigidity(self) -> dict[str, Number]:
        return _across(self.block, "shear_rigidity") if self.block.shear else {}

    def _by_axis(self, of: Callable[[ca.SX], ca.SX], power: int) -> dict[str, ca.SX]:
        """Return the coordinates of bending times a power of the extension, one higher for angles."""
        powers = {"m": self.extension**power, "rad": self.extension ** (power + 1)}
        coordinates = {axis: self.block.discretization.coordinates(axis) for axis in self.block.bending}
        return {
            axis: ca.vertcat(*[of(self.local[c.name]) * powers[c.unit] for c in of_axis], ca.SX(0, 1))
            for axis, of_axis in coordinates.items()
        }

    @cached_property
    def _shapes(self) -> tuple[dict[str, SlidingShapes], dict[tuple[str, str], tuple[ca.SX, ca.SX]]]:
        """The shapes by axis, and what those of different planes have in common where they differ."""
        block = self.block
        if block.shear and block.discretization.coordinates(block.bending[0]):
            shearing: ShearingShapes = shearing_shapes(
                self._plane(block.bending[0]).shapes, self._angles, self._start_ratio(block.bending[0])
            )
            stiff, soft = self._rigidity, self._shear_rigidity
            ratios = {axis: stiff[axis] / (soft[axis] * self.extension**2) for axis in block.bending}
            pairs = [(a, b) for a in ratios for b in ratios if a != b]
            overlaps = {(a, b): shearing.overlap(ratios[a], ratios[b]) for a, b in pairs}
            return {axis: shearing.at(ratio) for axis, ratio in ratios.items()}, overlaps
        if block.shapes == "fixed":
            fixed = block.discretization.shapes(self._start_tip)
            return dict.fromkeys(block.bending, constant_shapes(fixed, self._angles, _counts(block.damping_time))), {}
        start = self._start_tip
        start_tip = RelativeTip(start.mass, start.inertia, start.static_moment)
        tip = self._relative(self._tip, self.extension)
        start_betas = self._start_modes.b
        following = clamped_mass_shapes(self._betas, tip, self.local, "displacement", start_betas, start_tip)
        return dict.fromkeys(block.bending, following), {}

    @property
    def _angles(self) -> np.ndarray:
        """1 for coordinates of bending that are angles, else 0."""
        units = [c.unit for c in self.block.discretization.coordinates(self.block.bending[0])]
        return np.array([unit == "rad" for unit in units], dtype=float)

    def _start_ratio(self, axis: str) -> float:
        """Return EI/(kappa G A l^2) at the start."""
        stiff, soft = (_across(self.block.nominal, name)[axis] for name in ("flexural_rigidity", "shear_rigidity"))
        return float(stiff / (soft * self.block.extension**2))

    def _plane(self, axis: str) -> DiscretizedDeformation:
        """Return bending along an axis of the part that is outside at the start."""
        shears = self.block.shear and self.block.discretization.coordinates(axis)
        profiles = BeamProfiles(shear=RelativeProfile(1 / self._start_ratio(axis))) if shears else EULER_BERNOULLI
        return discretized_bending(self.block.discretization, self._start_tip, profiles)

    @property
    def _rod(self) -> DiscretizedDeformation:
        """Torsion of the part that is outside at the start."""
        polar = self._tip.polar_inertia / (self.block.nominal.polar_inertia * self.block.extension)
        return discretized_rod(self.block.discretization, TipBody(polar))

    @cached_property
    def _torsion(self) -> SlidingTorsion | None:
        block, local = self.block, self.local
        names = [c.name for c in block.discretization.coordinates("torsion")] if block.torsion else []
        if not block.torsion:
            return None
        angles = ca.vertcat(*[local[name] for name in names], ca.SX(0, 1))
        rates = ca.vertcat(*[local.rate(local[name]) for name in names], ca.SX(0, 1))
        return SlidingTorsion(
            extension=self.extension,
            speed=local.rate(self.extension),
            length=block.length,
            polar_inertia=block.polar_inertia,
            rigidity=block.torsional_rigidity,
            shapes=twisting_shapes(self._rod.shapes),
            angles=angles,
            rates=rates,
        )


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
    along_y, along_z = getattr(block, name), getattr(block, f"{name}_z")
    values = {"y": along_y, "z": along_y if along_z is None else along_z}
    return {axis: values[axis] for axis in block.bending}


def _counts(value: Number) -> bool:
    """Whether a parameter is a symbol, or not zero."""
    return isinstance(value, ca.SX) or value > 0
