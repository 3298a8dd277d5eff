"""The functions of a sliding beam on its parts between cuts, and at sections, from the parameters of its block."""

from __future__ import annotations

import casadi as ca

from flexblocks.beam.cut_sliding_beam import SectionShapes, SlidingParts
from flexblocks.beam.shapes.restricted import Restricted
from flexblocks.beam.shapes.sliding_shapes import SlidingShapes, stretching, twisting, twisting_shapes
from flexblocks.beam.sliding_functions import SlidingFunctions


def sliding_parts(functions: SlidingFunctions) -> SlidingParts:
    """Return the functions on parts and at sections.

    The whole and the mouth of the hub are known of all functions; what is between them, of those that stretch with the
    beam and change no further.
    """
    block = functions.block

    def bending(start: float, end: float) -> dict[str, SlidingShapes]:
        if (start, end) == (0.0, 1.0):
            return functions.shapes[0]
        return dict.fromkeys(block.planes, stretching(Restricted(functions.fixed, start, end), functions.angles))

    def bending_at(xi: float) -> dict[str, SectionShapes]:
        if xi == 0.0:
            return {axis: _clamped(shapes) for axis, shapes in functions.shapes[0].items()}
        shapes = functions.fixed
        phi, slope = shapes.deflection(xi), shapes.slope(xi)
        psi = (1 - xi) * slope + functions.angles * phi
        return dict.fromkeys(block.planes, SectionShapes(ca.DM(phi), ca.DM(slope), ca.DM(psi)))

    def torsion(start: float, end: float) -> SlidingShapes:
        shapes = functions.rod.shapes
        return twisting_shapes(shapes) if (start, end) == (0.0, 1.0) else twisting(Restricted(shapes, start, end))

    def torsion_at(xi: float) -> SectionShapes:
        shapes = functions.rod.shapes
        turn, strain = ca.DM(shapes.deflection(xi)), ca.DM(shapes.strain(xi))
        return SectionShapes(turn, turn, (1 - xi) * strain)

    return SlidingParts(bending, bending_at, torsion, torsion_at)


def _clamped(shapes: SlidingShapes) -> SectionShapes:
    """Return the values at the mouth: only shear makes particles leave it across the hub."""
    nothing = ca.DM(*shapes.mean.shape)
    return SectionShapes(nothing, nothing, shapes.shear.mouth if shapes.shear else nothing)
