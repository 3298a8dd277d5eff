"""Ranges of states within which the physics of a block holds, or within which it is meant to move."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class StateRange:
    """The range of a state within which the physics of its block holds, or in which it should move.

    Attributes
    ----------
    low, high : float
    beyond : str
        A clause that says what the block leaves out beyond them, and what to do.
    kept : bool
        Whether plans keep it, unless their limits say otherwise.
    """

    beyond: str
    low: float = -math.inf
    high: float = math.inf
    kept: bool = False

    def over(self, factor: float) -> StateRange:
        """Return the range of a state of which the state of the block is a multiple."""
        low, high = sorted((self.low / factor, self.high / factor))
        return replace(self, low=low, high=high)

    def within(self, other: StateRange | None) -> StateRange:
        """Return what this range and another one have in common."""
        return self if other is None else replace(self, low=max(self.low, other.low), high=min(self.high, other.high))
