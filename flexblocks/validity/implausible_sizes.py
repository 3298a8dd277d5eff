"""Sizes that are orders of magnitude off, as of numbers in millimetres, grams or N mm2."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator

import numpy as np

from flexblocks.blocks.bodies.beam_remarks import LONGEST, length_doubts
from flexblocks.blocks.bodies.rigid_inertia import Inertia
from flexblocks.blocks.joints.free_motion import FreeMotion
from flexblocks.interfaces import Block
from flexblocks.interfaces.parameters import argument_name

STRONGEST_GRAVITY = 274.0  # [m/s2] of the Sun at its surface


def implausible_sizes(arm: str, gravity: Iterable[float], blocks: Iterable[Block]) -> Iterator[str]:
    """Yield which gravity, lengths and moments of inertia of an arm are orders of magnitude off.

    `blocks` are those of its bodies; ropes may be as long as they like. Beams judge themselves and
    what they carry, see `Block.implausible_sizes`.
    """
    size = math.hypot(*gravity)
    if size > STRONGEST_GRAVITY:
        yield (
            f"Model '{arm}': gravity is {size:.4g} m/s2; that of the Earth is 9.81 m/s2. If it is in mm/s2, divide by "
            "1000. All quantities are in SI units."
        )
    for block in blocks:
        yield from _of_lengths(block)
        yield from _of_inertias(block)


def _of_lengths(block: Block) -> Iterator[str]:
    """Yield which lengths of a block look like millimetres; how far away something floats is none of its lengths."""
    if isinstance(block, FreeMotion):
        return
    for field in dataclasses.fields(block):
        quantity, value = field.metadata.get("quantity"), getattr(block, field.name)
        if getattr(quantity, "unit", None) == "m" and isinstance(value, (float, tuple)):
            largest = np.abs(np.array(value, dtype=float)).max(initial=0.0)
            yield from length_doubts(block.where, argument_name(field), float(largest))


def _of_inertias(block: Block) -> Iterator[str]:
    """Yield which moments of inertia belong to a body larger than any arm."""
    mass = getattr(block, "mass", None)
    if not isinstance(mass, float) or mass <= 0:
        return
    for field in dataclasses.fields(block):
        value = getattr(block, field.name)
        if not isinstance(field.metadata.get("quantity"), Inertia) or value is None:
            continue
        largest = float(np.abs(np.array(value, dtype=float)).max(initial=0.0))
        radius = math.sqrt(largest / mass)
        if radius > LONGEST:
            yield (
                f"{block.where}: {argument_name(field)} of {largest:.4g} kg m2 with mass = {mass:.4g} kg is a radius "
                f"of gyration of {radius:.3g} m; if it is in g mm2, multiply by 1e-9, if in kg mm2, by 1e-6. Moments "
                "of inertia are in kg m2."
            )
