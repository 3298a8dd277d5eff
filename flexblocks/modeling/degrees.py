"""Angles in degrees, as files and the command line take them: ``90deg``, ``30deg/s``; all else is in radians."""

from __future__ import annotations

import math
import re
from typing import Any

from flexblocks.errors import FileFormatError

# In the regular expressions of Python and of JSON Schemas.
PATTERN = r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)? ?deg(/s2?)?"
_DEGREES = re.compile(r"\s*(?P<number>[^\sd]+)\s*deg(?P<per>/s2?)?\s*")
_WHOLE = re.compile(rf"\s*{PATTERN}\s*")


def is_angular(unit: str) -> bool:
    """Whether quantities of a unit may be written in degrees: an angle, its rate or its acceleration."""
    return unit in ("rad", "rad/s", "rad/s2")


def in_radians(value: Any, place: str, unit: str | None) -> Any:
    """Return a value in which angles that are text, such as ``90deg``, are numbers in radians.

    Parameters
    ----------
    value : object
        A number, text, or lists of them; what is no angle in degrees stays as it is.
    place : str
        Its position in the document, for messages.
    unit : str or None
        Of what it stands for; None if it is not known.

    Raises
    ------
    FileFormatError
        An angle where there is none.
    """
    if isinstance(value, (list, tuple)):
        return type(value)(in_radians(one, f"{place}[{i}]", unit) for i, one in enumerate(value))
    if not isinstance(value, str) or not _WHOLE.fullmatch(value):
        return value
    parts = _DEGREES.fullmatch(value)
    assert parts is not None, value
    given = f"rad{parts['per'] or ''}"
    if unit not in (None, given):
        written = f" or {unit.replace('rad', 'deg')}" if is_angular(unit) else ""
        raise FileFormatError(f"{place} = {value!r}; must be in {unit or 'numbers without a unit'}{written}.")
    return math.radians(float(parts["number"]))
