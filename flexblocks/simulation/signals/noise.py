"""Noise of sensors in a run: drawn from a seed, the same wherever and in however many parts it is simulated.

What an input is at its k-th sample depends on the seed, its name and k alone: it is made of the k-th number of the
counter-based generator Philox (Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011), with seed and name
as its key.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from flexblocks.dynamics.tree.clock import Clock
from flexblocks.dynamics.tree.noise import Noise
from flexblocks.errors import ParameterError
from flexblocks.libraries import scipy
from flexblocks.simulation.signals.polynomial import piecewise_constant

# Numbers that the generator makes at once.
BLOCK = 4
# Where sample number 0 is in the sequence: no run begins so many samples before t = 0.
ORIGIN = 2**60
LARGEST = 2**62
# A sample this close to a time, in periods, is at it: times are rounded.
SLACK = 1e-9


def checked_seed(seed: Any, where: str) -> int | None:
    """Return the seed of a run.

    Raises
    ------
    ParameterError
        It is neither None nor a whole number from 0 on.
    """
    if seed is None:
        return None
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < LARGEST:
        raise ParameterError(f"{where}: seed = {seed!r}; must be a whole number >= 0, or None for no noise.")
    return int(seed)


def drawn(noise: Noise, seed: int, first: int, count: int) -> np.ndarray:
    """Return so many values of an input, from its sample number `first` on."""
    begin = ORIGIN + first
    key = np.array([seed, zlib.crc32(noise.name.encode())], dtype=np.uint64)
    generator = np.random.Philox(key=key, counter=[begin // BLOCK, 0, 0, 0])
    skipped = begin % BLOCK
    raw = generator.random_raw(skipped + count)[skipped:]
    uniform = ((raw >> np.uint64(11)).astype(float) + 0.5) / 2.0**53
    if noise.kind == "lost":
        return (uniform < noise.size).astype(float)
    return noise.size * scipy.special.ndtri(uniform)


def tick_numbers(clock: Clock, times: np.ndarray) -> np.ndarray:
    """Return the number of the last tick at each of these times (k,) [s], or before it."""
    return np.floor((times - clock.offset) / clock.period + SLACK).astype(np.int64)


def left_out(clocks: Sequence[Clock], u: Mapping[str, Any] | None) -> tuple[tuple[Clock, Noise], ...]:
    """Return the noises that inputs by name leave out, with the clocks at whose ticks they are drawn."""
    every = ((clock, noise) for clock in clocks for noise in clock.noises)
    return tuple((clock, noise) for clock, noise in every if u is None or noise.name not in u)


def with_noise(
    clocks: Sequence[Clock], u: Mapping[str, Any] | None, times: np.ndarray, seed: Any, where: str
) -> Mapping[str, Any] | None:
    """Return the inputs of a run over `times` (k,) [s], with noise drawn where it is not given.

    Raises
    ------
    ParameterError
        The seed is neither None nor a whole number from 0 on.
    """
    seed = checked_seed(seed, where)
    if seed is None or not (u is None or isinstance(u, Mapping)):
        return u
    signals = {}
    for clock, noise in left_out(clocks, u):
        first, last = tick_numbers(clock, times[[0, -1]])
        values = drawn(noise, seed, int(first), int(last - first) + 1)
        signals[noise.name] = piecewise_constant(clock.offset + clock.period * np.arange(first, last + 1), values)
    return {**signals, **(u or {})}
