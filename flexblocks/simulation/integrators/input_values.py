"""Values of the inputs at many times, in one call."""

from __future__ import annotations

import numpy as np

from flexblocks.simulation.integrators.buffered_call import BufferedCall
from flexblocks.simulation.integrators.driven_equations import BUILDING, DrivenEquations


class InputValues:
    """Inputs of the equations at many times, by a function for each number of times that is requested."""

    def __init__(self, equations: DrivenEquations) -> None:
        self._input, self._size = equations.input, len(equations.dae.u)
        self._maps: dict[int, BufferedCall] = {}

    def at(self, times: np.ndarray, segments: np.ndarray) -> np.ndarray:
        """Return the inputs (k, nu) at times (k,) [s], with the parameters (size, k) of the inputs' segments."""
        if not self._size:
            return np.zeros((times.size, 0))
        if not self._input.is_a("SXFunction"):  # an exception of a function called back passes through a plain call
            return np.array(self._input(times[None, :], segments)).T
        if times.size not in self._maps:
            with BUILDING:
                self._maps[times.size] = BufferedCall(self._input.map(times.size))
        call = self._maps[times.size]
        call.arguments[0][:, 0], call.arguments[1][:] = times, segments.T
        call()
        return call.results[0]
