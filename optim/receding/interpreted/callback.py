"""An iteration as a function that CasADi calls: (state, x, references, p) -> state, command."""

from __future__ import annotations

from time import thread_time
from typing import Any

import casadi as ca
import numpy as np

from ..layout import COUNTERS
from .iteration import Iteration
from .memory import Memory, Ring

KEY, TIME, FAILING, FIRST_COUNTER = range(4)
FIRST_FORCE = FIRST_COUNTER + len(COUNTERS)


# CasADi does not keep what it calls, and loops outlive their laws.
_KEPT: dict[str, IterationCallback] = {}


def iteration_callback(name: str, iteration: Iteration) -> IterationCallback:
    """Return the function of this name, which its content decides."""
    if name not in _KEPT:
        _KEPT[name] = IterationCallback(name, iteration)
    return _KEPT[name]


class IterationCallback(ca.Callback):
    """The function.

    Parameters
    ----------
    name : str
    iteration : Iteration
    """

    def __init__(self, name: str, iteration: Iteration) -> None:
        ca.Callback.__init__(self)
        size = iteration.sizes
        self._iteration, self.ring = iteration, Ring(size["KEPT"], size["TIMED"])
        state = FIRST_FORCE + size["NF"]
        self._in, self._out = (state, size["NX"], size["NREF"], size["NP"]), (state, size["NU"])
        self.construct(name, {})

    def time_of(self, key: float) -> float | None:
        """Return the CPU time [s] of the iteration that made a key, None where that is gone."""
        return self.ring.time_of(key)

    def get_n_in(self) -> int:
        return len(self._in)

    def get_n_out(self) -> int:
        return len(self._out)

    def get_sparsity_in(self, i: int) -> ca.Sparsity:
        return ca.Sparsity.dense(self._in[i], 1)

    def get_sparsity_out(self, i: int) -> ca.Sparsity:
        return ca.Sparsity.dense(self._out[i], 1)

    def eval(self, arg: Any) -> list[np.ndarray]:
        begin = thread_time()
        state, x, now, p = (part.full().ravel() for part in arg)
        key, sizes = float(np.floor(state[KEY] + 0.5)), self._iteration.sizes
        kept = self.ring.found(key) if key > 0 else None
        m = Memory(sizes, kept)
        if kept is None:
            m.clock[0] = state[TIME]
            m.counters[:], m.force[:] = state[FIRST_COUNTER:FIRST_FORCE], state[FIRST_FORCE:]
            m.count("resets", key > 0)
        command = self._iteration.iterate(m, x, now, p)
        state[TIME], state[FAILING] = m.clock[0], m.clock[2]
        state[FIRST_COUNTER:FIRST_FORCE], state[FIRST_FORCE:] = m.counters, m.force
        state[KEY] = self.ring.keep(m, thread_time() - begin)
        return [state, command]
