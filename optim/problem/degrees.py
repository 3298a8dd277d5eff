"""Degrees for radians: angles of whole numbers that are too large to be meant."""

from __future__ import annotations

import math
from collections.abc import Collection

TURNS = 4 * math.pi  # [rad] from which on an angle may have been meant in degrees


def may_be_degrees(size: float, angles: Collection[float]) -> bool:
    """Whether an angle is of more than two turns, and angles are whole numbers."""
    return size > TURNS and all(float(angle).is_integer() for angle in angles)
