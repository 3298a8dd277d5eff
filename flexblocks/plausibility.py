"""Plausibility of numbers: those that can be computed with, and angles that may have been intended in degrees."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from flexblocks.user_warning import warn
from flexblocks.warning_kinds import DEGREES

# Fifth powers stay below 1.8e308, beyond which a product is infinite. No quantity in SI units comes near to it.
LARGEST = 1e60
TURNS = 4 * math.pi  # [rad] from which on an angle may have been intended in degrees


def computable(values: Any) -> bool:
    """Whether a number, or all of an array, can be computed with."""
    if isinstance(values, float):  # most are, and NumPy takes ten times as long
        return abs(values) <= LARGEST
    return bool(np.all(np.abs(values) <= LARGEST))


def needed(values: Any, words: str = "finite") -> str:
    """Return what numbers that cannot be computed with must be: `words`, or, if they are finite, not so large."""
    return f"at most {LARGEST:.0e} in magnitude".replace("+", "") if bool(np.all(np.abs(values) < np.inf)) else words


def may_be_degrees(size: float, angles: Collection[float]) -> bool:
    """Whether an angle is of more than two turns, and angles are whole numbers."""
    return size > TURNS and all(float(angle).is_integer() for angle in angles)


def warn_of_degrees(where: str, dae: Any, values: Any) -> bool:
    """Warn if angles among a user's values by name may have been intended in degrees; return whether they may.

    Parameters
    ----------
    where : str
        The call and its argument, for the message, as ``"simulate: x0: "``.
    dae : DAE
    values : dict of float, or anything else
        Angles of shafts behind gears do not count: they may turn as often as they like.
    """
    if not isinstance(values, Mapping):
        return False
    shafts = {body.name for body in dae.tree.bodies if body.parent is None}
    units = dict(zip(dae.q_names, dae.x.units, strict=False))
    angles = {
        name: float(value)
        for name, value in values.items()
        if units.get(name) == "rad" and name.rpartition(".")[0] not in shafts
    }
    name = max(angles, key=lambda each: abs(angles[each]), default=None)
    if name is None or not may_be_degrees(abs(angles[name]), angles.values()):
        return False
    value = angles[name]
    warn(
        f"{where}{name} = {value:g} rad is {abs(value) / (2 * math.pi):.1f} turns; if it is in degrees, "
        f"use math.radians({value:g}) = {math.radians(value):.4g}.",
        DEGREES,
    )
    return True
