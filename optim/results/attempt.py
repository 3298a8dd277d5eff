"""Attempt: one of the solves that led to a plan."""

from __future__ import annotations

import math
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Attempt:
    """The outcome of one of the solves that led to a plan.

    Attributes
    ----------
    what : str
        What was solved, and from which start.
    status : str
        ``"converged"``, or why the solver stopped.
    intervals : int
    duration : float
        [s]
    objective : float
        In the unit of the minimised quantity.
    iterations : int or None
    tip_miss, energy_left : float or None
        Miss [m] and residual energy [J] of the replay, if there was one; infinite if it could not be simulated.
    """

    what: str
    status: str
    intervals: int
    duration: float
    objective: float
    iterations: int | None
    tip_miss: float | None = field(default=None, kw_only=True)
    energy_left: float | None = field(default=None, kw_only=True)

    def __str__(self) -> str:
        text = f"{self.what}, {self.intervals} intervals: {self.status}, {self.duration:.6g} s"
        if self.iterations is not None:
            text += f", {self.iterations} iterations"
        if self.tip_miss is not None and math.isinf(self.tip_miss):
            text += "; its replay could not be simulated"
        elif self.tip_miss is not None:
            text += f"; replayed: misses by {1e3 * self.tip_miss:.3g} mm, {self.energy_left:.2g} J left"
        return text
