"""Plausibility of numbers: those that can be computed with, and angles that may have been meant in degrees."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from flexblocks.user_warning import warn

# Fifth powers stay below 1.8e308, beyond which a product is infinite. No quantity in SI units comes near to it.
LARGEST = 1e60
TURNS = 4 * math.pi  # [rad] from which on an angle may have been meant in degrees


def computable(values: Any) -> bool:
    """Whether a number, or all of an array, can be computed with."""
    return bool(np.all(np.abs(values) <= LARGEST))


def needed(values: Any, words: str = "finite") -> str:
    """Return what numbers that cannot be computed with must be: `words`, or, if they are finite, not so large."""
    return f"at most {LARGEST:.0e} in magnitude".replace("+", "") if bool(np.all(np.abs(values) < np.inf)) else words


def may_be_degrees(size: float, angles: Collection[float]) -> bool:
    """Whether an angle is of more than two turns, and angles are whole numbers."""
    return size > TURNS and all(float(angle).is_integer() for angle in angles)


def warn_of_degrees(where: str, values: Mapping[str, float], units: Mapping[str, str]) -> None:
    """Warn if angles among values by name may have been meant in degrees.

    Parameters
    ----------
    where : str
        The call and its argument, for the message, as ``"simulate: x0: "``.
    values : dict of float
    units : dict of str
        Of the variables by name.
    """
    angles = {name: float(value) for name, value in values.items() if units.get(name) == "rad"}
    name = max(
        angles, key=lambda each: (may_be_degrees(abs(angles[each]), (angles[each],)), abs(angles[each])), default=""
    )
    if name and may_be_degrees(abs(angles[name]), (angles[name],)):
        value = angles[name]
        warn(
            f"{where}{name} = {value:g} rad is {abs(value) / (2 * math.pi):.1f} turns; if that was meant in degrees, "
            f"take math.radians({value:g}) = {math.radians(value):.4g}."
        )
