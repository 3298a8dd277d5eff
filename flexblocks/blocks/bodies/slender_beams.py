"""Frequencies that the theory of slender beams misses: those of short or deep beams."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from flexblocks.beam.assumed_modes import AssumedModes
from flexblocks.beam.from_block import beam_from_block, tip_body
from flexblocks.beam.shapes.shape_integrals import discretized_bending

# Errors of a frequency that are reported: of the first one in a plane, and of any other that is kept.
FIRST, OTHER = 0.03, 0.2
# Kept ones that are looked at; the upper half of those of elements is not theirs in the first place.
MOST = 6


def frequency_errors(block: Any, carried: np.ndarray) -> dict[str, np.ndarray]:
    """Return by how much frequencies of a clamped beam with what it carries are too high, without shear and inertia.

    Parameters
    ----------
    block : FlexibleBeam
        With a section.
    carried : ndarray (6, 6)
        Inertia of what hangs on its tip.

    Returns
    -------
    dict of ndarray
        By axis of bending, for each frequency that its discretisation keeps, relative.
    """
    kept = len(block.discretization.coordinates(block.planes[0]))
    count = min(kept if isinstance(block.discretization, AssumedModes) else (kept + 1) // 2, MOST)
    if not count:
        return {}
    modes, plain = AssumedModes(count, tip="auto"), {"internal_forces": (), "largest_stress": False, "torsion": False}
    slender = replace(block, discretization=modes, axial=False, **plain)
    periods = []
    for beam in (slender, replace(slender, shear=True, rotary_inertia=True)):
        deformations = beam_from_block(beam, carried).deformations
        periods.append(
            {axis: discretized_bending(modes, deformations[axis].tip, deformations[axis].profiles).modes[1]
             for axis in block.planes}
        )  # fmt: skip
    return {axis: np.sort(periods[1][axis])[::-1] / np.sort(periods[0][axis])[::-1] - 1 for axis in block.planes}


def slender_doubts(block: Any, carried: np.ndarray) -> tuple[str, ...]:
    """Return the doubt whether a beam is slender enough for its theory, if its section is known; else nothing."""
    if block.section is None or (block.shear and block.rotary_inertia) or not tip_body(carried, "y").mass >= 0:
        return ()
    off = [
        (float(error), axis, i)
        for axis, errors in frequency_errors(block, carried).items()
        for i, error in enumerate(errors)
        if error > (OTHER if i else FIRST)
    ]
    if not off:
        return ()
    # The slowest inaccurate mode matters most.
    error, axis, i = min(off, key=lambda one: (one[2], -one[0]))
    able = block.discretization.can_shear
    remedy = "Take shear=True and rotary_inertia=True" + (
        "" if able else ", with fb.FiniteElements(n) or AssumedModes(n)"
    )
    return (
        f"{block.where} is not slender: frequency {i + 1} of bending along {axis}, clamped and with what it carries, "
        f"is {100 * error:.2g} % too high without shear and the inertia of its sections. {remedy}.",
    )
