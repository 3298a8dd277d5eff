"""Input signals: functions of time that say where they are not smooth."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.errors import ParameterError
from flexblocks.simulation.jumps import jumps, steps_of

Symbol = Any  # ca.SX or ca.MX: an expression, or a graph that calls back

# Where a compiled function is compared with the given one: math.sin of a symbol, for one, is a silent nan.
PROBES = (0.0123456789, 0.31415926535, 2.7182818284)


class TimeSignal(ABC):
    """An input as a function of time, smooth between breakpoints.

    An integration is split at the breakpoints. What changes from one segment to the next is put into a few parameters,
    so that one compiled expression serves all of them.
    """

    size: int
    """Number of parameters of a segment."""

    @property
    @abstractmethod
    def form(self) -> object:
        """What the expression depends on besides the parameters: signals of equal form have the same expression."""

    @abstractmethod
    def breakpoints_within(self, start: float, end: float) -> np.ndarray:
        """Return the times in [start, end] [s] at which it jumps or bends; refuse a run that it does not cover."""

    @abstractmethod
    def parameters(self, left: float, right: float) -> np.ndarray:
        """Return the parameters (size,) of the segment [left, right], which has no breakpoint inside."""

    @abstractmethod
    def expression(self, t: Symbol, parameters: Symbol) -> Symbol:
        """Return the value at `t` inside the segment that has these parameters."""


@dataclass(frozen=True)
class Signal(TimeSignal):
    """An input given as a function of time.

    Parameters
    ----------
    function : callable
        ``function(t)``, t [s] a number, returns a number. A function that also takes a CasADi symbol (of
        arithmetic, numpy ufuncs, CasADi functions, comparisons) is compiled into the simulation; any other is called
        back, which is slower.
    breakpoints : sequence of float, optional
        Times [s] where it jumps or bends. On each side of one, the value is the limit from that side. If not given they
        are looked for: comparisons with t and jumps that 2000 samples over the run can see are found exactly. Give
        those of a plain function that has pulses shorter than that.

    Examples
    --------
    >>> import flexblocks as fb
    >>> ramp = fb.Signal(lambda t: min(t, 0.5), breakpoints=[0.5])
    """

    function: Callable[[Any], Any]
    breakpoints: Sequence[float] | None = None
    size = 2

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ParameterError(
                f"Signal: function = {self.function!r}; must be callable, as in Signal(lambda t: 2 * t)."
            )
        if self.breakpoints is None:
            return
        times = np.asarray(self.breakpoints, dtype=float).ravel()
        if not np.all(np.isfinite(times)):
            raise ParameterError(f"Signal: breakpoints = {self.breakpoints!r}; must be finite times [s].")
        object.__setattr__(self, "breakpoints", tuple(np.unique(times).tolist()))

    def __call__(self, t: float) -> float:
        """Return the value at `t` [s]."""
        value = self.function(float(t))
        try:
            return np.asarray(value, dtype=float).item()
        except (TypeError, ValueError):
            raise ParameterError(f"the function gives {value!r} at t = {t:.6g} s; must give a number.") from None

    @cached_property
    def compiled(self) -> ca.Function | None:
        """The signal as a CasADi function; None where the function takes numbers only."""
        t = ca.SX.sym("t")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # casadi warns about numpy functions on its symbols
                value = self.function(t)
                value = ca.SX(value.item() if isinstance(value, np.ndarray) else value)
                found = ca.Function("signal", [t], [value])
                agree = np.allclose([float(found(t)) for t in PROBES], [self(t) for t in PROBES], rtol=1e-12, atol=0)
        except Exception:  # whatever a function may raise that was not written for symbols, or not for these times
            return None
        return found if value.is_scalar() and agree else None

    @cached_property
    def _numeric(self) -> _Called:
        return _Called(self)

    def breakpoints_within(self, start: float, end: float) -> np.ndarray:
        if self.breakpoints is not None:
            return np.array([b for b in self.breakpoints if start <= b <= end])
        if self.compiled is None:
            return jumps(lambda times: np.array([[self(t)] for t in times]), start, end)
        steps = steps_of(self.compiled)
        return jumps(lambda times: np.array(steps(times[None, :])).T, start, end) if steps.nnz_out() else np.zeros(0)

    @property
    def form(self) -> object:
        return id(self.function)

    def parameters(self, left: float, right: float) -> np.ndarray:
        # A hair inside, so that a comparison with the breakpoint itself falls to the segment's side, rounding included.
        hair = min(1e-13 * max(abs(left), abs(right)), (right - left) / 4)
        return np.array([left + hair, right - hair])

    def expression(self, t: Symbol, parameters: Symbol) -> Symbol:
        inside = ca.fmin(ca.fmax(t, parameters[0]), parameters[1])
        return (self.compiled or self._numeric)(inside)

    def raise_failure(self) -> None:
        """Raise, once, what the function raised when it was called back."""
        if self.compiled is None and self._numeric.failure is not None:
            failure, self._numeric.failure = self._numeric.failure, None
            raise failure


class _Called(ca.Callback):
    """A plain function of time inside a CasADi graph.

    An exception must not travel through the integrator's C code; it is kept, and nan makes the integrator stop.
    """

    def __init__(self, function: Callable[[float], float]) -> None:
        ca.Callback.__init__(self)
        self.function = function
        self.failure: BaseException | None = None
        self.construct("signal", {})

    def get_n_in(self) -> int:
        return 1

    def get_n_out(self) -> int:
        return 1

    def eval(self, arguments: list[ca.DM]) -> list[ca.DM]:
        if self.failure is None:
            try:
                return [ca.DM(self.function(float(arguments[0])))]
            except BaseException as failure:
                self.failure = failure
        return [ca.DM(np.nan)]
