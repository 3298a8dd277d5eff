"""Small deflections of a flexible beam, and the tension that it does not feel, as constants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from flexblocks.beam.from_block import beam_from_block
from flexblocks.beam.kinematics.beam import Beam
from flexblocks.beam.properties.quadrature import gauss_legendre
from flexblocks.beam.section_properties import property_of
from flexblocks.beam.small_deflections import FELT, along, small_deflections, twist
from flexblocks.interfaces import SmallDeflections, Tension


def beam_deflections(block: Any, carried: np.ndarray) -> SmallDeflections | None:
    """Return the measure of a beam's deflections; None of one that does not bend, or is right however far it bends.

    Parameters
    ----------
    block : FlexibleBeam
    carried : ndarray (6, 6)
        Inertia of what hangs on its tip, as far as its shapes depend on that, see `flexblocks.interfaces.Local`.
    """
    bent = {axis: block.discretization.coordinates(axis) for axis in block.planes}
    if not block.discretization.is_linear or not any(bent.values()):
        return None
    beam = beam_from_block(block, carried)
    n = len(block.coordinates())
    planes = {axis: block.discretization.plane(axis, beam) for axis in block.planes}
    unit = {axis: np.array([1.0 if c.unit == "rad" else 1 / block.length for c in cs]) for axis, cs in bent.items()}
    first = {axis: len(bent["y"]) if axis == "z" and "y" in bent else 0 for axis in bent}
    shapes = {axis: (plane.shapes, first[axis], unit[axis]) for axis, plane in planes.items()}
    measure = small_deflections(repr(block.discretization), block.coordinates(), shapes)
    against_twist = property_of(block.nominal, "torsional_rigidity")
    if against_twist is not None:
        twisting = None
        if block.torsion:
            place = [c.name for c in block.coordinates()].index(block.discretization.coordinates("torsion")[0].name)
            twisting = block.discretization.plane("torsion", beam).shapes, place
        rigidity = {axis: _rigidity(beam, axis) for axis in planes}
        rigidity["torsion"] = lambda xi: against_twist.nominal * against_twist.profile(xi)
        measure = replace(measure, twist=twist(n, shapes, twisting, rigidity, block.length))
    if block.stiffening:
        return measure
    # Without it a pull along the beam does nothing to bending.
    stiffness = np.zeros((n, n))
    for axis, plane in planes.items():
        part, amplitude = slice(first[axis], first[axis] + len(bent[axis])), unit[axis] * block.length
        share = plane.integrals.stiffness * np.outer(amplitude, amplitude)
        stiffness[part, part] = share * float(beam.deformations[axis].stiffness)
    xi, weights = gauss_legendre(FELT)
    felt_at = replace(block, internal_forces=tuple((xi * block.length).tolist()), largest_stress=False)
    forces = ("tension", *(f"shear_{axis}" for axis in block.planes))
    names = tuple(tuple(f"{cut.label}{force}" for cut in felt_at.cuts) for force in forces)
    slopes = along(xi, n, shapes, 1)
    forms = np.einsum("pki,k,pkj->kij", slopes, weights * block.length, slopes)
    pull = Tension(felt_at, names, slopes, forms, forms.sum(axis=0), stiffness, length=float(block.length))
    return replace(measure, tension=pull)


def _rigidity(beam: Beam, axis: str) -> Callable[[np.ndarray], np.ndarray]:
    """Return EI [N m2] along a beam of numbers, as a function of x/l."""
    mean = float(beam.deformations[axis].stiffness) * float(beam.length) ** 3
    return lambda xi: mean * beam.deformations[axis].profiles.rigidity(xi)
