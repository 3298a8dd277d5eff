"""Buffered calls of CasADi functions on numpy arrays."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np


class Buffered:
    """A function of dense columns, called with numpy arrays without copying the arguments.

    CasADi's own conversion of results takes longer than evaluating many functions.
    """

    def __init__(self, function: ca.Function):
        buffer: Any = function.buffer()
        self._buffer, self._evaluate = buffer
        self._results = [np.zeros(function.nnz_out(i)) for i in range(function.n_out())]
        for i, result in enumerate(self._results):
            self._buffer.set_res(i, result.data)

    def __call__(self, *arguments: np.ndarray) -> list[np.ndarray]:
        """Return the results, one array (n,) each."""
        held = [np.ascontiguousarray(argument, dtype=float) for argument in arguments]
        for i, argument in enumerate(held):
            self._buffer.set_arg(i, argument.data)
        self._evaluate()
        return [result.copy() for result in self._results]
