"""Input signals: piecewise smooth functions of time, with their breakpoints."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.computable import computable, needed
from flexblocks.errors import ParameterError
from flexblocks.simulation.signals.jumps import jumps, steps_of

Symbol = Any  # ca.SX or ca.MX: an expression, or a graph with callbacks

# Times at which the compiled function is compared with Python's: math.sin of a symbol, for one, is a silent nan.
PROBES = (0.0123456789, 0.31415926535, 2.7182818284)


class TimeSignal(ABC):
    """Input as a function of time, smooth between breakpoints.

    Integrations are split at the breakpoints. What changes from one segment to the next is a few parameters, so that
    one compiled expression serves all segments.
    """

    size: int
    """Number of parameters of a segment."""

    @property
    @abstractmethod
    def form(self) -> object:
        """Key of the expression: signals of equal form have the same expression in their parameters."""

    @abstractmethod
    def breakpoints_within(self, start: float, end: float) -> np.ndarray:
        """Return the times of jumps and kinks in [start, end] [s]; refuse a run that the signal does not cover."""

    @abstractmethod
    def parameters(self, left: float, right: float) -> np.ndarray:
        """Return the parameters (size,) of the segment [left, right], which contains no breakpoint."""

    @abstractmethod
    def expression(self, t: Symbol, parameters: Symbol) -> Symbol:
        """Return the value at `t` inside the segment with these parameters."""


@dataclass(frozen=True)
class Signal(TimeSignal):
    """Input defined by a Python function of time.

    Parameters
    ----------
    function : callable
        ``function(t)``, t [s] a number, returns a number. A function that also takes a CasADi symbol (made of
        arithmetic, NumPy ufuncs, CasADi functions, comparisons) is compiled into the simulation; any other is called
        back, which is slower.
    breakpoints : sequence of float, optional
        Times [s] of jumps and kinks, where the value on either side is the one-sided limit. By default they are
        detected: comparisons with t, and jumps that 2000 samples over the run resolve, are located to the last digit.
        List them for a plain function with shorter pulses.

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
        if not computable(times):
            raise ParameterError(
                f"Signal: breakpoints = {self.breakpoints!r}; must be {needed(times, 'finite times')} [s]."
            )
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
        """The signal as a CasADi function; None if the Python function takes numbers only."""
        t = ca.SX.sym("t")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # casadi warns about numpy functions on its symbols
                value = self.function(t)
                value = ca.SX(value.item() if isinstance(value, np.ndarray) else value)
                symbolic = ca.Function("signal", [t], [value])
                agree = np.allclose([float(symbolic(t)) for t in PROBES], [self(t) for t in PROBES], rtol=1e-12, atol=0)
        except Exception:  # a function not written for symbols, or not for these times, may raise anything
            return None
        return symbolic if value.is_scalar() and agree else None

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
        # Slightly inside, so that comparisons with a breakpoint are those of this segment, whatever the rounding.
        hair = min(1e-13 * max(abs(left), abs(right)), (right - left) / 4)
        return np.array([left + hair, right - hair])

    def expression(self, t: Symbol, parameters: Symbol) -> Symbol:
        inside = ca.fmin(ca.fmax(t, parameters[0]), parameters[1])
        return (self.compiled or self._numeric)(inside)

    def raise_failure(self) -> None:
        """Raise, once, the exception of the function if it was called back and failed."""
        if self.compiled is None and self._numeric.failure is not None:
            failure, self._numeric.failure = self._numeric.failure, None
            raise failure


class _Called(ca.Callback):
    """Callback of a Python function of time in a CasADi graph.

    An exception must not propagate through the integrator's C code; it is kept, and nan makes the integrator stop.
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
