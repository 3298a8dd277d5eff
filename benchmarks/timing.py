"""Timing: the best of several runs, the calls compared in turn."""

from __future__ import annotations

import time
from collections.abc import Callable


def best_of(runs: int, *things: Callable[[], object]) -> list[float]:
    """Return the shortest time [s] of each call over several runs, taken in turn so that all see the same machine."""
    best = [float("inf")] * len(things)
    for _ in range(runs):
        for i, thing in enumerate(things):
            start = time.perf_counter()
            thing()
            best[i] = min(best[i], time.perf_counter() - start)
    return best
