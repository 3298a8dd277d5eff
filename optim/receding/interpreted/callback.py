"""Iterations as functions that CasADi calls."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from time import thread_time
from typing import Any

import casadi as ca
import numpy as np

from ..layout import COUNTERS
from .estimator import Estimator, Window
from .intervals import StepError
from .iteration import Iteration
from .memory import Memory, Plan, Ring

KEY, TIME, FAILING, FIRST_COUNTER = range(4)
FIRST_FORCE = FIRST_COUNTER + len(COUNTERS)
OUTLIERS, RESTARTS, FIRST_STATE = range(1, 4)


# CasADi does not keep what it calls, and loops outlive their laws.
_KEPT: dict[str, Interpreted] = {}


def kept(name: str, make: Callable[[str], Interpreted]) -> Interpreted:
    """Return the function of this name, which its content decides."""
    if name not in _KEPT:
        _KEPT[name] = make(name)
    return _KEPT[name]


class Interpreted(ca.Callback):
    """A function of a state, whose first entry is a key to a memory, and other columns.

    Parameters
    ----------
    name : str
    sizes : dict
        Those of the kernel.
    ins, outs : sequence of int
        Lengths of arguments and results, the state first.
    """

    def __init__(self, name: str, sizes: Mapping[str, int], ins: Sequence[int], outs: Sequence[int]) -> None:
        ca.Callback.__init__(self)
        self.ring, self._ins, self._outs = Ring(sizes["KEPT"], sizes["TIMED"]), tuple(ins), tuple(outs)
        self.construct(name, {})

    @abstractmethod
    def sampled(
        self, state: np.ndarray, found: np.ndarray | None, others: Sequence[np.ndarray]
    ) -> tuple[Memory, Sequence[np.ndarray]]:
        """Return the memory after a sample and all results but the state, which is changed but for its key.

        Parameters
        ----------
        state : ndarray
        found : ndarray or None
            The memory before, None where there is none.
        others : sequence of ndarray
            All arguments but the state.
        """

    def time_of(self, key: float) -> float | None:
        """Return the CPU time [s] of the iteration that made a key, None where that is gone."""
        return self.ring.time_of(key)

    def get_n_in(self) -> int:
        return len(self._ins)

    def get_n_out(self) -> int:
        return len(self._outs)

    def get_sparsity_in(self, i: int) -> ca.Sparsity:
        return ca.Sparsity.dense(self._ins[i], 1)

    def get_sparsity_out(self, i: int) -> ca.Sparsity:
        return ca.Sparsity.dense(self._outs[i], 1)

    def eval(self, arg: Any) -> list[np.ndarray]:
        begin = thread_time()
        state, *others = (part.full().ravel() for part in arg)
        key = state[KEY] = float(np.floor(state[KEY] + 0.5))
        memory, results = self.sampled(state, self.ring.found(key) if key > 0 else None, others)
        state[KEY] = self.ring.keep(memory, thread_time() - begin)
        return [state, *results]


class IterationCallback(Interpreted):
    """An iteration of model predictive control: (state, x, references, p) -> state, command."""

    def __init__(self, name: str, iteration: Iteration) -> None:
        self._iteration, size = iteration, iteration.sizes
        state = FIRST_FORCE + size["NF"]
        super().__init__(name, size, (state, size["NX"], size["NREF"], size["NP"]), (state, size["NU"]))

    def sampled(
        self, state: np.ndarray, found: np.ndarray | None, others: Sequence[np.ndarray]
    ) -> tuple[Memory, Sequence[np.ndarray]]:
        m = Plan(self._iteration.sizes, found)
        if found is None:
            m.clock[0] = state[TIME]
            m.counters[:], m.force[:] = state[FIRST_COUNTER:FIRST_FORCE], state[FIRST_FORCE:]
            m.count("resets", state[KEY] > 0)
        command = self._iteration.iterate(m, *others)
        state[TIME], state[FAILING] = m.clock[0], m.clock[2]
        state[FIRST_COUNTER:FIRST_FORCE], state[FIRST_FORCE:] = m.counters, m.force
        return m, [command]


class EstimatorCallback(Interpreted):
    """A sample of moving horizon estimation: (state, measured, inputs that acted until now) -> state."""

    def __init__(self, name: str, estimator: Estimator) -> None:
        self._estimator, size = estimator, estimator.sizes
        state = FIRST_STATE + size["NX"] + 2 * size["NPAR"]
        super().__init__(name, size, (state, size["NY"], size["NKNOWN"]), (state,))

    def sampled(
        self, state: np.ndarray, found: np.ndarray | None, others: Sequence[np.ndarray]
    ) -> tuple[Memory, Sequence[np.ndarray]]:
        estimator, (y, acted) = self._estimator, others
        sizes, constants = estimator.sizes, estimator.constants
        parts = np.split(state, np.cumsum([FIRST_STATE, sizes["NX"], sizes["NPAR"]]))
        # What was estimated last, or the start, is where it begins anew.
        last = parts[1:3] if state[KEY] > 0 else (constants["FIRST_X"], constants["FIRST_THETA"])
        m = estimator.begun(*last) if found is None else Window(sizes, found)
        state[RESTARTS] += found is None and state[KEY] > 0
        try:
            estimator.estimate(m, y, acted)
        except StepError:
            m = estimator.begun(*last)
            m.flags[1], m.y[0] = 2.0, y
            state[RESTARTS] += 1.0
        state[OUTLIERS] += m.flags[2]
        parts[1][:], parts[2][:], parts[3][:] = m.xs[m.newest], m.theta, m.deviations
        return m, []
