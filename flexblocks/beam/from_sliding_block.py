"""An axially moving beam from the parameters of its block: kinematics, energies and dissipation."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import casadi as ca
import numpy as np

from flexblocks.beam.cut_sliding_beam import CutSlidingBeam
from flexblocks.beam.kinematics.slide import Slide
from flexblocks.beam.kinematics.sliding_damping import (
    SlidingRates,
    critical_of_fixed,
    critical_of_following,
    critical_of_shearing,
)
from flexblocks.beam.kinematics.sliding_deflection import SlidingFlexure
from flexblocks.beam.kinematics.sliding_torsion import SlidingTorsion
from flexblocks.beam.shapes.clamped_mass_modes import RelativeTip
from flexblocks.beam.shapes.internal_forces import HeldCut
from flexblocks.beam.shapes.sliding_shapes import twisting_shapes
from flexblocks.beam.sliding_forces import SlidingForces
from flexblocks.beam.sliding_functions import SlidingFunctions, counts
from flexblocks.beam.sliding_parts import sliding_parts
from flexblocks.interfaces import Frame


def sliding_flexure(functions: SlidingFunctions, root: Frame) -> SlidingFlexure:
    """Return the deformed beam, in terms of the frame at the mouth of the hub."""
    block, local = functions.block, functions.local
    cuts = tuple(cut for cut in (HeldCut(cut, local) for cut in block.cuts) if cut.is_released)
    kind = partial(CutSlidingBeam, cuts=cuts, parts=sliding_parts(functions)) if cuts else SlidingFlexure
    shapes, overlaps = functions.shapes
    return kind(
        root=root,
        extension=functions.extension,
        length=block.length,
        linear_density=functions.linear_density,
        rigidity=functions.rigidity,
        shapes=shapes,
        amplitudes=_by_axis(functions, lambda q: q, 0),
        speeds=_by_axis(functions, local.rate, 0),
        angles=_by_axis(functions, lambda q: q, -1),
        rate=local.rate,
        shear_rigidity=functions.shear_rigidity,
        overlaps=overlaps,
        torsion=_torsion(functions) if block.torsion else None,
    )


def sliding_dissipation(functions: SlidingFunctions, flexure: SlidingFlexure) -> ca.SX:
    """Return the dissipation [W] of the beam's own damping."""
    block, torsion = functions.block, flexure.torsion
    rates = SlidingRates(
        _slide(functions), functions.rigidity, functions.shear_rigidity, flexure.amplitudes, flexure.speeds
    )
    if counts(block.damping_time):
        bent = rates.of_material(flexure.shapes, block.damping_time)
        return bent + torsion.dissipation_of_material(block.damping_time) if torsion else bent
    if not counts(block.damping_ratio):
        return ca.SX(1, 1)
    tip = functions.relative(functions.tip, functions.extension)
    if block.shapes == "fixed":
        critical = {axis: critical_of_fixed(functions.plane(axis), tip) for axis in block.planes}
    elif block.shear:
        critical = {
            axis: critical_of_shearing(flexure.shapes[axis], tip, ratio) for axis, ratio in functions.ratios.items()
        }
    else:
        following = critical_of_following(functions.betas, flexure.shapes[block.planes[0]])
        critical = dict.fromkeys(block.planes, following)
    bent = rates.of_modes(critical, block.damping_ratio, functions.linear_density)
    if torsion is None:
        return bent
    tip = RelativeTip(functions.tip.polar_inertia / (functions.polar_inertia * functions.extension), 0.0, 0.0)
    return bent + torsion.dissipation_of_modes(critical_of_fixed(functions.rod, tip), block.damping_ratio)


def sliding_velocity_forces(functions: SlidingFunctions, flexure: SlidingFlexure) -> ca.SX | None:
    """Return the velocity forces; None for torsion, shear and cuts, whose energies are differentiated."""
    block, local = functions.block, functions.local
    angles = [coordinate.unit == "rad" for coordinate in block.discretization.coordinates(block.planes[0])]
    if not angles or block.torsion or block.shear or isinstance(flexure, CutSlidingBeam):
        return None
    forces = SlidingForces(
        slide=_slide(functions),
        length=block.length,
        linear_density=functions.linear_density,
        shapes=flexure.shapes[block.planes[0]],
        angles=np.array(angles, dtype=float),
        amplitudes=flexure.amplitudes,
        speeds=flexure.speeds,
        slope=lambda expression: local.slope(expression, "displacement"),
    )
    return forces.forces(flexure.root.omega, local.rates, extension=0)


def _by_axis(functions: SlidingFunctions, of: Callable[[ca.SX], ca.SX], power: int) -> dict[str, ca.SX]:
    """Return the coordinates of bending times a power of the extension, one higher for angles."""
    powers = {"m": functions.extension**power, "rad": functions.extension ** (power + 1)}
    coordinates = {axis: functions.block.discretization.coordinates(axis) for axis in functions.block.planes}
    return {
        axis: ca.vertcat(*[of(functions.local[c.name]) * powers[c.unit] for c in of_axis], ca.SX(0, 1))
        for axis, of_axis in coordinates.items()
    }


def _slide(functions: SlidingFunctions) -> Slide:
    return Slide(functions.extension, functions.local.rate(functions.extension))


def _torsion(functions: SlidingFunctions) -> SlidingTorsion:
    block, local = functions.block, functions.local
    names = [c.name for c in block.discretization.coordinates("torsion")]
    return SlidingTorsion(
        slide=_slide(functions),
        length=block.length,
        polar_inertia=functions.polar_inertia,
        rigidity=functions.torsional_rigidity,
        shapes=twisting_shapes(functions.rod.shapes),
        angles=ca.vertcat(*[local[name] for name in names], ca.SX(0, 1)),
        rates=ca.vertcat(*[local.rate(local[name]) for name in names], ca.SX(0, 1)),
    )
