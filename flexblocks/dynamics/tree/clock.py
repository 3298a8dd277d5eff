"""Clocks of sampled controllers: sample times, and the state update at each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.dynamics.tree.foreign_functions import Foreign, foreign_in, is_opaque, refuse_unpicklable
from flexblocks.dynamics.tree.noise import Noise
from flexblocks.errors import ParameterError

# Ticks within this fraction of a period of the ends of an interval belong to it: times carry rounding errors.
SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Clock:
    """Periodic clock, with ticks at offset + k period, k an integer.

    Attributes
    ----------
    period, offset : float
        [s]
    change : casadi.Function
        (x, z, u, p) -> increment of x at a tick, from the values just before it.
    linear : casadi.Function, optional
        The same where it has derivatives that mean something: without the steps of quantised signals, and after the
        first tick. By default `change`.
    noises : tuple of Noise
        Inputs that runs in time draw at its ticks, unless they are given: noise of sensors.
    """

    period: float
    offset: float
    change: ca.Function
    linear: ca.Function | None = None
    noises: tuple[Noise, ...] = ()

    @property
    def differentiable(self) -> ca.Function:
        """What is differentiated in place of `change`."""
        return self.linear or self.change

    def through(self, changed: Callable[[ca.Function], ca.Function]) -> Clock:
        """Return the clock in a DAE of other variables, of which `changed` gives the increments."""
        linear = None if self.linear is None else changed(self.linear)
        return replace(self, change=changed(self.change), linear=linear)

    @property
    def is_opaque(self) -> bool:
        """Whether its change is that of a function that CasADi cannot look into: it has no derivatives."""
        return is_opaque(self.change)

    def __reduce__(self) -> Any:
        refuse_unpicklable(self.change)
        # Libraries before the functions that call them.
        return _clock, (foreign_in([self.change]), *(getattr(self, field.name) for field in fields(self)))

    def ticks(self, start: float, end: float) -> np.ndarray:
        """Return the times of all ticks in [start, end] [s]."""
        first = np.ceil((start - self.offset) / self.period - SLACK)
        last = np.floor((end - self.offset) / self.period + SLACK)
        return self.offset + self.period * np.arange(first, last + 1)

    def ticks_at(self, times: np.ndarray) -> np.ndarray:
        """Return whether there is a tick at each of these `times` (k,) [s]."""
        turns = (times - self.offset) / self.period
        return np.abs(turns - np.round(turns)) <= SLACK * np.maximum(1.0, np.abs(turns) * 1e-3)


def _clock(foreign: tuple[Foreign, ...], *own: Any) -> Clock:
    del foreign
    return Clock(*own)


def refuse_clocks(clocks: tuple[Clock, ...], where: str) -> None:
    """Refuse sampled controllers where only continuous-time equations make sense.

    Raises
    ------
    ParameterError
    """
    if clocks:
        raise ParameterError(
            f"{where}: a controller of this closed loop acts at sample times only (every {clocks[0].period:g} s), but "
            "continuous-time equations are needed; "
            "close the loop with the law itself instead of Sampled(law, ...)."
        )
