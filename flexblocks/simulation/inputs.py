"""All inputs of one run together, from what the user gave for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np
from scipy.interpolate import BSpline, PPoly

from flexblocks.dynamics.tree.clock import Clock
from flexblocks.errors import ParameterError
from flexblocks.interfaces.variables import Variables
from flexblocks.simulation.polynomial import constant, from_ppoly, piecewise_linear
from flexblocks.simulation.signal import Signal, Symbol, TimeSignal

KINDS = (
    "a number, an array over the output times, a pair (times, values), a function of t, a fb.Signal, or a "
    "scipy piecewise polynomial"
)


def signal(given: Any, times: np.ndarray | None) -> TimeSignal:
    """Return the signal that `given` stands for.

    Parameters
    ----------
    given : float, array (k,), pair of arrays, callable, PPoly or TimeSignal
    times : ndarray (k,) or None
        The output times [s] that an array belongs to; None if the user gave none.

    Raises
    ------
    ParameterError
        It is none of these, or not finite.
    """
    if isinstance(given, TimeSignal):
        return given
    if isinstance(given, PPoly):
        return from_ppoly(given)
    if isinstance(given, BSpline):
        return from_ppoly(PPoly.from_spline(given))
    if callable(given):
        return Signal(given)
    if isinstance(given, tuple) and len(given) == 2 and all(np.ndim(part) == 1 for part in given):
        return piecewise_linear(*given)
    if isinstance(given, (str, bytes, bool)) or given is None:
        raise ParameterError(f"= {given!r}; must be {KINDS}.")
    try:
        array = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise ParameterError(f"= {given!r}; must be {KINDS}.") from None
    if not np.all(np.isfinite(array)):
        raise ParameterError(f"= {given}; must be finite.")
    if array.ndim == 0:
        return constant(float(array))
    if times is None:
        raise ParameterError(
            "is an array, but t is not: give t as an array of output times, or the pair (times, values)."
        )
    if array.shape != times.shape:
        raise ParameterError(
            f"is an array of shape {array.shape}; must be {times.shape}, one value for each time of t."
        )
    return piecewise_linear(times, array)


@dataclass(frozen=True)
class Inputs:
    """The inputs of one run, in the DAE's order, over segments on which all of them are smooth.

    Attributes
    ----------
    signals : tuple of TimeSignal
    ends : ndarray (segments + 1,)
        Where the segments begin and end [s].
    """

    signals: tuple[TimeSignal, ...]
    ends: np.ndarray

    @cached_property
    def parameters(self) -> np.ndarray:
        """Parameters of all signals on each segment, (size, segments)."""
        columns = [
            np.concatenate([s.parameters(left, right) for s in self.signals] or [np.zeros(0)])
            for left, right in zip(self.ends[:-1], self.ends[1:], strict=True)
        ]
        return np.array(columns).T

    @property
    def form(self) -> tuple[object, ...]:
        """What their expressions depend on besides the parameters."""
        return tuple(s.form for s in self.signals)

    @cached_property
    def symbol_type(self) -> type[Symbol]:
        """SX where all signals are expressions, MX where Python must be called back."""
        plain = any(isinstance(s, Signal) and s.compiled is None for s in self.signals)
        return ca.MX if plain else ca.SX

    def expression(self, t: Symbol, parameters: Symbol) -> Symbol:
        """Return the inputs (nu,) at `t` on the segment that has these parameters."""
        offsets = np.cumsum([0, *[s.size for s in self.signals]]).tolist()
        own = ca.vertsplit(parameters, offsets) if self.signals else []
        values = [s.expression(t, part) for s, part in zip(self.signals, own, strict=True)]
        return ca.vertcat(*values, type(t)(0, 1))

    def segment_of(self, times: np.ndarray) -> np.ndarray:
        """Return for each time the number of its segment; a breakpoint belongs to the later one."""
        slack = separation(self.ends[0], self.ends[-1])
        return np.clip(np.searchsorted(self.ends, times + slack, side="right") - 1, 0, len(self.ends) - 2)

    def raise_failure(self) -> None:
        """Raise what a function of the user raised while it was called back."""
        for s in self.signals:
            if isinstance(s, Signal):
                s.raise_failure()


def inputs(
    group: Variables,
    given: Mapping[str, Any] | None,
    times: np.ndarray,
    whole: bool,
    where: str = "simulate",
    clocks: Sequence[Clock] = (),
) -> Inputs:
    """Return the inputs of a run over `times`.

    Parameters
    ----------
    group : Variables
        The DAE's inputs.
    given : dict or None
        What the user gave, by name; an input that is not in it is 0.
    times : ndarray (k,)
        Output times [s].
    whole : bool
        Whether the user gave these times, so that arrays belong to them.
    where : str
        What was called, for messages.
    clocks : sequence of Clock
        At their ticks a segment ends, too.

    Raises
    ------
    NameUnknownError
        An input that the DAE does not have.
    ParameterError
        Something that is no input signal.
    """
    if given is not None and not isinstance(given, Mapping):
        raise ParameterError(f"{where}: u = {given!r}; must be a dict from input names to signals.")
    signals: list[TimeSignal] = [constant(0.0)] * len(group)
    start, end = times[0], times[-1]
    breakpoints = [np.zeros(0), *(clock.ticks(start, end) for clock in clocks)]
    for name, value in (given or {}).items():
        position = group.index(name)
        try:
            signals[position] = signal(value, times if whole else None)
            breakpoints.append(signals[position].breakpoints_within(start, end))
        except ParameterError as error:
            raise ParameterError(f"{where}: input {name}: {error}") from None
    return Inputs(tuple(signals), _ends(start, end, np.concatenate(breakpoints)))


def separation(start: float, end: float) -> float:
    """Return how near two times must be to count as one [s]."""
    return 1e-12 * max(abs(start), abs(end))


def _ends(start: float, end: float, breakpoints: np.ndarray) -> np.ndarray:
    least = separation(start, end)
    ends = [start]
    for time in np.unique(breakpoints):
        if time - ends[-1] > least and end - time > least:
            ends.append(float(time))
    return np.array([*ends, end])
