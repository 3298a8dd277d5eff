"""One axis of times for signals that were sampled by themselves: merged with gaps, or resampled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from flexblocks.argument_types import short
from flexblocks.errors import ParameterError, listing, suggestion
from flexblocks.plausibility import computable

# Times of two signals that differ by less than this fraction of the least sample interval are one, but for rounding.
ROUNDING = 1e-6
# A distance between two samples beyond this many usual ones is a gap.
GAP = 2.0


@dataclass(frozen=True, eq=False)
class Samples:
    """A signal (k,) with times (k,) [s] of its own."""

    t: np.ndarray
    values: np.ndarray

    @property
    def interval(self) -> float:
        """The usual distance [s] of two samples: the median."""
        return float(np.median(np.diff(self.t)))


def checked(name: str, t: np.ndarray, values: np.ndarray, offset: float = 0.0) -> Samples:
    """Return a signal, with the times of its clock less `offset`.

    Raises
    ------
    ParameterError
        Times that do not rise, or as many times as values there are not.
    """
    if t.ndim != 1 or len(t) < 2 or not computable(t) or not np.all(np.diff(t) > 0):
        raise ParameterError(f"Record: the times of '{name}' are {short(t)}; must be two or more that rise [s].")
    if values.shape != t.shape:
        raise ParameterError(f"Record: '{name}' is of shape {values.shape} at {len(t)} times; must be {t.shape}.")
    return Samples(t - offset, values)


def offsets_of(offsets: Mapping[str, float] | None, known: list[str]) -> dict[str, float]:
    """Return the offset of the clock of each known signal [s].

    Raises
    ------
    ParameterError
        An unknown signal, or an offset that is no finite number.
    """
    given = {} if offsets is None else dict(offsets)
    for name, value in given.items():
        if name not in known:
            raise ParameterError(f"Record: offsets: there is no '{name}'{suggestion(name, known)}")
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not np.isfinite(value):
            raise ParameterError(f"Record: offsets[{name}] = {short(value)}; must be a finite number [s].")
    return {name: float(given.get(name, 0.0)) for name in known}


def merged(
    u: Mapping[str, Samples], y: Mapping[str, Samples]
) -> tuple[np.ndarray, dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return the times (k,) of all samples, the inputs, held from sample to sample, and what was measured, with gaps.

    The axis begins where all inputs are known, and ends where one is no longer: an interval after its last sample.

    Raises
    ------
    ParameterError
        There is no time at which all inputs are known.
    """
    every = [*u.values(), *y.values()]
    times = np.sort(np.concatenate([one.t for one in every]))
    # Numbers that are one time but for rounding.
    same = ROUNDING * min(float(np.diff(one.t).min()) for one in every)
    times = times[np.append(True, np.diff(times) > same)]
    begin = max((one.t[0] for one in u.values()), default=times[0])
    end = min((one.t[-1] + one.interval for one in u.values()), default=times[-1])
    times = times[(times >= begin - same) & (times <= end + same)]
    if len(times) < 2:
        spans = listing(f"{name} from {one.t[0]:g} to {one.t[-1]:g} s" for name, one in u.items())
        raise ParameterError(f"Record: no two samples lie where all inputs are known ({spans}); check the offsets.")
    inputs = {n: one.values[np.searchsorted(one.t, times + same, side="right") - 1] for n, one in u.items()}
    return times, inputs, {name: _with_gaps(times, one, same) for name, one in y.items()}


def _with_gaps(times: np.ndarray, one: Samples, same: float) -> np.ndarray:
    """Return the samples at their times, nan at all others."""
    whole = np.full(len(times), np.nan)
    place = np.searchsorted(times, one.t - same)
    inside = (place < len(times)) & (one.t >= times[0] - same)
    whole[place[inside]] = one.values[inside]
    return whole


def even_times(t: np.ndarray, sample_time: float) -> np.ndarray:
    """Return even times from the first of `t` to its last; those that are samples but for rounding are these."""
    same = ROUNDING * float(np.diff(t).min())
    times = t[0] + sample_time * np.arange(1 + int((t[-1] - t[0] + same) / sample_time))
    nearest = np.clip(np.searchsorted(t, times - same), 0, len(t) - 1)
    return np.where(np.abs(t[nearest] - times) <= same, t[nearest], times)


def interpolated(times: np.ndarray, t: np.ndarray, values: np.ndarray, longest_gap: float | None) -> np.ndarray:
    """Return a measured signal at other times, linear between two samples; nan in gaps and beyond its ends.

    `longest_gap` [s] is the largest distance of two samples between which it is interpolated, by default twice the
    usual one.
    """
    known = np.flatnonzero(~np.isnan(values))
    result = np.full(len(times), np.nan)
    if len(known) < 2:
        result[np.isin(times, t[known])] = values[known][np.isin(t[known], times)]
        return result
    t, values = t[known], values[known]
    most = GAP * float(np.median(np.diff(t))) if longest_gap is None else longest_gap
    behind = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
    # A time at a sample is known, whatever is beside it.
    at_sample = (times == t[behind]) | (times == t[behind + 1])
    inside = (times >= t[0]) & (times <= t[-1]) & ((t[behind + 1] - t[behind] <= most * (1 + ROUNDING)) | at_sample)
    result[inside] = np.interp(times[inside], t, values)
    return result


def held(times: np.ndarray, t: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return an input, which holds from sample to sample, at other times."""
    return values[np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 1)]
