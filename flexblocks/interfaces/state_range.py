"""Ranges of states within which the physics of a block holds."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class StateRange:
    """The values of a state within which the physics of its block holds.

    Attributes
    ----------
    low, high : float
    beyond : str
        A clause that says what the block leaves out beyond them, and what to do.
    """

    beyond: str
    low: float = -math.inf
    high: float = math.inf
