"""Input signals: piecewise smooth functions of time, with their breakpoints."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.errors import ParameterError
from flexblocks.plausibility import computable, needed
from flexblocks.simulation.signals.jumps import SAMPLES, jumps, steps_of
from flexblocks.simulation.signals.resolution import Resolution, resolution

Symbol = Any  # ca.SX or ca.MX: an expression, or a graph with callbacks

# Times at which a trace is compared with the function before a run is known: math.sin of a symbol is a silent nan.
PROBES = (0.0123456789, 0.31415926535, 2.7182818284)
# What rounding may make a trace differ from its function, as a share of the largest value.
ROUNDING = 1e-12
# Of so many times values in one call of a function are held against those of a call for each.
CALLED = 16


class TimeSignal(ABC):
    """Input as a function of time, smooth between breakpoints.

    Integrations are split at the breakpoints. What changes from one segment to the next is a few parameters, so that
    one compiled expression serves all segments.
    """

    size: int
    """Number of parameters of a segment."""

    is_constant = False
    """Whether its value does not change within a segment."""

    @property
    @abstractmethod
    def form(self) -> object:
        """Key of the expression: signals of equal form have the same expression in their parameters."""

    @abstractmethod
    def breakpoints_within(self, begin: float, end: float) -> np.ndarray:
        """Return the times of jumps and kinks in [begin, end] [s]; refuse a run that the signal does not cover."""

    @abstractmethod
    def resolution_within(self, begin: float, end: float, breakpoints: np.ndarray) -> Resolution:
        """Return how far apart a run may evaluate the signal, whose breakpoints are known."""

    @abstractmethod
    def parameters(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Return the parameters (size, k) of segments from left to right (k,) [s], which contain no breakpoint."""

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
        arithmetic, NumPy ufuncs, CasADi functions, comparisons) is compiled into the simulation, if what it makes of a
        symbol equals its values at 2000 times of the run; any other is called back, which is slower.
    breakpoints : sequence of float, optional
        Times [s] of jumps and kinks, where the value on either side is the one-sided limit. By default they are
        detected: comparisons with t, and jumps that 2000 samples over the run resolve, are located to the last digit.

    Notes
    -----
    Steps of the integration are kept as short as these samples require: whatever they show to move is seen, also after
    a long rest. A pulse that is shorter than a 2000th of the run may lie between two of them: state where it begins and
    ends as breakpoints; between two of these there are five samples at least.

    A function that makes of an array of times what it makes of each of them is sampled in one call.

    Examples
    --------
    >>> import flexblocks as fb
    >>> ramp = fb.Signal(lambda t: min(t, 0.5), breakpoints=[0.5])
    """

    function: Callable[[Any], Any]
    breakpoints: Sequence[float] | None = None
    source: Signal | None = field(default=None, init=False, repr=False)
    _is_called: bool = field(default=False, init=False, repr=False)
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
        return self._at(float(t))

    def _at(self, t: float) -> float:
        value = self.function(t)
        try:
            return np.asarray(value, dtype=float).item()
        except (TypeError, ValueError):
            raise ParameterError(f"the function gives {value!r} at t = {t:.6g} s; must give a number.") from None

    @cached_property
    def compiled(self) -> ca.Function | None:
        """The signal as a CasADi function; None if the Python function takes numbers only."""
        if self._is_called:
            return None
        t = ca.SX.sym("t")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # casadi warns about numpy functions on its symbols
                value = self.function(t)
                value = ca.SX(value.item() if isinstance(value, np.ndarray) else value)
                symbolic = ca.Function("signal", [t], [ca.densify(value)])
                agree = np.allclose([float(symbolic(t)) for t in PROBES], [self(t) for t in PROBES], rtol=1e-12, atol=0)
        except Exception:  # a function not written for symbols, or not for these times, may raise anything
            return None
        return symbolic if value.is_scalar() and agree else None

    @cached_property
    def _numeric(self) -> _Called:
        return _Called(self)

    def within(self, begin: float, end: float) -> Signal:
        """Return the signal, to be called back if its trace by a symbol differs from its values in the run.

        float(symbol) is nan in CasADi, and a comparison with nan is False, so that a function may lose t on the way.

        Raises
        ------
        ParameterError
            It is the derivative of a function that loses t.
        """
        if self.source is not None and self.source.within(begin, end).compiled is None:
            raise ParameterError(
                "is the derivative of a function that loses t, as by float(t) or math functions; write it with "
                "functions of NumPy or CasADi, or give samples (times, values)."
            )
        if self.compiled is None or self._is_traced(begin, end):
            return self
        called = Signal(self.function, self.breakpoints)
        object.__setattr__(called, "_is_called", True)
        return called

    def from_trace(self, source: Signal | None) -> Signal:
        """Return the signal, marked as made from the trace of another one, which must then equal that one in a run."""
        new = Signal(self.function, self.breakpoints)
        object.__setattr__(new, "source", source)
        return new

    def _is_traced(self, begin: float, end: float) -> bool:
        """Return whether the trace equals the function at the samples of a run, or a hair beside a jump there."""
        assert self.compiled is not None
        if isinstance(self.function, ca.Function):
            return True
        times = np.linspace(begin, end, SAMPLES + 1)
        values = self._sampled(times)
        slack = ROUNDING * np.max(np.abs(values), initial=0.0)
        off = np.flatnonzero(~(np.abs(self._traced(times) - values) <= slack))
        hair = 1e-9 * (end - begin)
        for side in (-hair, hair):
            if len(off):
                beside = np.clip(times[off] + side, begin, end)
                off = off[~(np.abs(self._traced(beside) - self._sampled(beside)) <= 1e-6 * slack / ROUNDING)]
        return not len(off)

    def _traced(self, times: np.ndarray) -> np.ndarray:
        assert self.compiled is not None
        return self.compiled.map(len(times))(times[None, :]).full().ravel()

    def _sampled(self, times: np.ndarray) -> np.ndarray:
        """Return the values at times (k,), by one call if the function takes arrays."""
        values = self._of_array(times) if len(times) > CALLED else None
        return np.array([self._at(t) for t in times.tolist()]) if values is None else values

    def _of_array(self, times: np.ndarray) -> np.ndarray | None:
        """Return the values at times (k,) if the function makes of an array what it makes of its entries, else None."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of branches that are not chosen
                values = np.asarray(self.function(times.copy()), dtype=float)
        except Exception:  # a function not written for arrays may raise anything
            return None
        if values.shape != times.shape or not np.all(np.isfinite(values)):
            return None
        some = np.linspace(0, len(times) - 1, CALLED).astype(int)
        called = [self._at(t) for t in times[some].tolist()]
        slack = ROUNDING * np.max(np.abs(values), initial=0.0)
        return values if np.allclose(values[some], called, rtol=0.0, atol=slack) else None

    def breakpoints_within(self, begin: float, end: float) -> np.ndarray:
        if self.breakpoints is not None:
            return np.array([b for b in self.breakpoints if begin <= b <= end])
        if self.compiled is None:
            return jumps(lambda times: self._sampled(times)[:, None], begin, end)
        steps = steps_of(self.compiled)
        return jumps(lambda times: np.array(steps(times[None, :])).T, begin, end) if steps.nnz_out() else np.zeros(0)

    def resolution_within(self, begin: float, end: float, breakpoints: np.ndarray) -> Resolution:
        return resolution(self._finite, begin, end, breakpoints, SAMPLES)

    def _finite(self, times: np.ndarray) -> np.ndarray:
        values = self._sampled(times) if self.compiled is None else self._traced(times)
        if not np.all(np.isfinite(values)):
            bad = int(np.argmin(np.isfinite(values)))
            raise ParameterError(f"the function gives {values[bad]} at t = {times[bad]:.6g} s; must be finite.")
        return values

    @property
    def form(self) -> object:
        return id(self.function), self.compiled is None

    def parameters(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        # Slightly inside, so that comparisons with a breakpoint are those of this segment, whatever the rounding.
        hair = np.minimum(1e-13 * np.maximum(np.abs(left), np.abs(right)), (right - left) / 4)
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
