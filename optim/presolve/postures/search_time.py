"""The time that the search for postures has: a plan's time limit counts it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter

LEAST = 1e-3  # s that a solve is left with after the end

_end: ContextVar[float] = ContextVar("end of the search for postures", default=math.inf)


@contextmanager
def searching_until(end: float) -> Iterator[None]:
    """Let searches within this context end by a time [s of `time.perf_counter`], with what they have found."""
    token = _end.set(end)
    try:
        yield
    finally:
        _end.reset(token)


def time_is_over() -> bool:
    """Whether the time for the search is over."""
    return perf_counter() >= _end.get()


def ipopt_time() -> dict[str, float]:
    """Return IPOPT's option for what is left of the time; empty without a limit."""
    end = _end.get()
    return {} if math.isinf(end) else {"max_wall_time": max(end - perf_counter(), LEAST)}
