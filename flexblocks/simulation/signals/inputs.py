"""Inputs of one run: conversion of the user's values to signals, and segments on which all are smooth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.argument_types import short
from flexblocks.dynamics.tree.clock import Clock
from flexblocks.errors import ParameterError
from flexblocks.interfaces.variables import Variables
from flexblocks.libraries import scipy
from flexblocks.plausibility import computable, needed
from flexblocks.simulation.signals.polynomial import PiecewisePolynomial, constant, from_ppoly, piecewise_linear
from flexblocks.simulation.signals.resolution import Resolution
from flexblocks.simulation.signals.saturation import crossings
from flexblocks.simulation.signals.signal import Signal, Symbol, TimeSignal

KINDS = (
    "a number, an array over the output times, a pair (times, values), a function of t, a fb.Signal, or a "
    "scipy piecewise polynomial"
)


def signal(value: Any, times: np.ndarray | None) -> TimeSignal:
    """Convert a value to an input signal.

    Parameters
    ----------
    value : float, array (k,), pair of arrays, callable, PPoly or TimeSignal
    times : ndarray (k,) or None
        Output times [s] to which an array refers; None if there are none.

    Raises
    ------
    ParameterError
        The value is of another type, or not finite.
    """
    if isinstance(value, TimeSignal):
        return value
    if isinstance(value, scipy.interpolate.PPoly):
        return from_ppoly(value)
    if isinstance(value, scipy.interpolate.BSpline):
        return from_ppoly(scipy.interpolate.PPoly.from_spline(value))
    if callable(value):
        return Signal(value)
    if isinstance(value, tuple) and len(value) == 2 and all(np.ndim(part) == 1 for part in value):
        return piecewise_linear(*value)
    if isinstance(value, (str, bytes, bool)) or value is None:
        raise ParameterError(f"= {value!r}; must be {KINDS}.")
    try:
        array = np.asarray(value, dtype=float)
    except OverflowError:
        array = np.array(np.inf)
    except (TypeError, ValueError):
        raise ParameterError(f"= {value!r}; must be {KINDS}.") from None
    if not computable(array):
        raise ParameterError(f"= {short(value)}; must be {needed(array)}.")
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


def shifted(original: TimeSignal, offset: float) -> TimeSignal:
    """Return a signal plus a constant."""
    if isinstance(original, Signal):
        return Signal(lambda t: original.function(t) + offset, original.breakpoints)
    assert isinstance(original, PiecewisePolynomial)  # the only other kind that `signal` returns
    coefficients = original.pieces.c.copy()
    coefficients[-1] += offset
    return PiecewisePolynomial(scipy.interpolate.PPoly(coefficients, original.pieces.x), original.domain)


@dataclass(frozen=True)
class Inputs:
    """Inputs of one run, in the order of the DAE, over segments on which all of them are smooth.

    Attributes
    ----------
    signals : tuple of TimeSignal
    ends : ndarray (segments + 1,)
        Ends of the segments [s].
    gaps : ndarray (segments,)
        How far apart evaluations in each segment may be [s], lest they pass over what moves.
    limits : tuple of float
        Magnitude at which each input saturates; infinite where it does not.
    """

    signals: tuple[TimeSignal, ...]
    ends: np.ndarray
    gaps: np.ndarray
    limits: tuple[float, ...]

    @cached_property
    def parameters(self) -> np.ndarray:
        """Parameters of all signals on each segment, (size, segments)."""
        left, right = self.ends[:-1], self.ends[1:]
        rows: dict[int, np.ndarray] = {}  # most inputs share a signal, the constant 0
        for s in self.signals:
            if id(s) not in rows:
                rows[id(s)] = s.parameters(left, right)
        return np.concatenate([np.zeros((0, len(left))), *(rows[id(s)] for s in self.signals)])

    @property
    def are_held(self) -> bool:
        """Whether no input changes within a segment."""
        return all(s.is_constant for s in self.signals)

    @property
    def form(self) -> tuple[object, ...]:
        """Key of the expressions: inputs of equal form have the same expressions in their parameters."""
        return (*(s.form for s in self.signals), *self.limits)

    @cached_property
    def symbol_type(self) -> type[Symbol]:
        """SX if all signals are expressions, MX if a Python function must be called back."""
        plain = any(isinstance(s, Signal) and s.compiled is None for s in self.signals)
        return ca.MX if plain else ca.SX

    def expression(self, t: Symbol, parameters: Symbol) -> Symbol:
        """Return the inputs (nu,) at `t` on the segment with these parameters."""
        offsets = np.cumsum([0, *[s.size for s in self.signals]]).tolist()
        blocks = ca.vertsplit(parameters, offsets) if self.signals else []
        values = [s.expression(t, part) for s, part in zip(self.signals, blocks, strict=True)]
        bounded = zip(values, self.limits, strict=True)
        values = [ca.fmin(ca.fmax(v, -limit), limit) if limit < np.inf else v for v, limit in bounded]
        return ca.vertcat(*values, type(t)(0, 1))

    def segment_of(self, times: np.ndarray) -> np.ndarray:
        """Return the index of the segment of each time; a breakpoint belongs to the later segment."""
        slack = separation(self.ends[0], self.ends[-1])
        return np.clip(np.searchsorted(self.ends, times + slack, side="right") - 1, 0, len(self.ends) - 2)

    def within(self, begin: float, end: float) -> Inputs:
        """Return these inputs over a part of the run, from `begin` to `end` [s]."""
        if begin == self.ends[0] and end == self.ends[-1]:
            return self
        least = separation(self.ends[0], self.ends[-1])
        inner = self.ends[(self.ends > begin + least) & (self.ends < end - least)]
        ends = np.array([begin, *inner, end])
        return replace(self, ends=ends, gaps=self.gaps[self.segment_of((ends[:-1] + ends[1:]) / 2)])

    def raise_failure(self) -> None:
        """Raise the exception of a user's function that was called back, if there was one."""
        for s in self.signals:
            if isinstance(s, Signal):
                s.raise_failure()


def inputs(
    group: Variables,
    values: Mapping[str, Any] | None,
    times: np.ndarray,
    sampled: bool,
    where: str = "simulate",
    clocks: Sequence[Clock] = (),
    saturate: bool = False,
) -> Inputs:
    """Return the inputs of a run over `times`.

    Parameters
    ----------
    group : Variables
        The DAE's inputs.
    values : dict or None
        Values by name, as for `simulate`; inputs that are left out are 0.
    times : ndarray (k,)
        Output times [s].
    sampled : bool
        Whether the user passed these times, so that arrays refer to them.
    where : str
        Name of the caller, for messages.
    clocks : sequence of Clock
        Their ticks are ends of segments, too.
    saturate : bool
        Whether inputs saturate at the limits of the group.

    Raises
    ------
    NameUnknownError
        An input that the DAE does not have.
    ParameterError
        A value that is not an input signal.
    """
    if values is not None and not isinstance(values, Mapping):
        raise ParameterError(f"{where}: u = {values!r}; must be a dict from input names to signals.")
    signals: list[TimeSignal] = [constant(0.0)] * len(group)
    limits = group.limits.tolist() if saturate and len(group.limits) else [np.inf] * len(group)
    start, end = times[0], times[-1]
    breakpoints = [np.zeros(0), *(clock.ticks(start, end) for clock in clocks)]
    known: dict[int, TimeSignal] = {}  # of one function for several inputs
    resolutions = []
    for name, value in (values or {}).items():
        position = group.index(name)
        try:
            if id(value) not in known:
                new = signal(value, times if sampled else None)
                known[id(value)] = new = new.within(start, end) if isinstance(new, Signal) else new
                own = new.breakpoints_within(start, end)
                resolutions.append(new.resolution_within(start, end, own))
                breakpoints += [own, resolutions[-1].ends]
            signals[position] = known[id(value)]
            if limits[position] < np.inf:
                breakpoints.append(crossings(signals[position], limits[position], start, end))
        except ParameterError as error:
            raise ParameterError(f"{where}: input {name}: {error}") from None
    ends = _ends(start, end, np.concatenate(breakpoints))
    return Inputs(tuple(signals), ends, _gaps(ends, resolutions), tuple(limits))


def ticks_at(clocks: Sequence[Clock], times: np.ndarray) -> np.ndarray:
    """Return which clocks tick at each of these times (k,), as uint8 (k, clocks)."""
    ticking = np.zeros((len(times), len(clocks)), dtype=np.uint8)
    for i, clock in enumerate(clocks):
        ticking[:, i] = clock.ticks_at(times)
    return ticking


def separation(start: float, end: float) -> float:
    """Return the distance [s] below which two times count as one: rounding of the times."""
    return 1e-12 * max(abs(start), abs(end))


def _ends(start: float, end: float, breakpoints: np.ndarray) -> np.ndarray:
    least = separation(start, end)
    ends = [start]
    for time in np.unique(breakpoints):
        if time - ends[-1] > least and end - time > least:
            ends.append(float(time))
    return np.array([*ends, end])


def _gaps(ends: np.ndarray, resolutions: Sequence[Resolution]) -> np.ndarray:
    middles, gaps = (ends[:-1] + ends[1:]) / 2, np.full(len(ends) - 1, np.inf)
    for each in resolutions:
        at = np.searchsorted(each.ends[1:-1], middles, side="right")
        gaps = np.minimum(gaps, each.gaps[at])
    return gaps
