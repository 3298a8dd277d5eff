"""Clocks: when a sampled controller acts, and what it changes then."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.errors import ParameterError

# Instants this share of a period from the ends of an interval belong to it.
SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Clock:
    """Ticks at offset + k period, k a whole number.

    Attributes
    ----------
    period, offset : float
        [s]
    change : casadi.Function
        (x, z, u, p) -> what is added to x at a tick, from the values before it.
    """

    period: float
    offset: float
    change: ca.Function

    def ticks(self, start: float, end: float) -> np.ndarray:
        """Return the times of all ticks in [start, end] [s]."""
        first = np.ceil((start - self.offset) / self.period - SLACK)
        last = np.floor((end - self.offset) / self.period + SLACK)
        return self.offset + self.period * np.arange(first, last + 1)

    def ticks_at(self, time: float) -> bool:
        """Tell whether there is a tick at `time` [s]."""
        turns = (time - self.offset) / self.period
        return bool(abs(turns - round(turns)) <= SLACK * max(1.0, abs(turns) * 1e-3))


def refuse_clocks(clocks: tuple[Clock, ...], where: str) -> None:
    """Refuse a closed loop with a sampled controller where only equations that hold at all times make sense.

    Raises
    ------
    ParameterError
    """
    if clocks:
        raise ParameterError(
            f"{where}: a controller of this closed loop acts at sample times only (every {clocks[0].period:g} s); "
            "close the loop with the law itself instead of Sampled(law, ...)."
        )
