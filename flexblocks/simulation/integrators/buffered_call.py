"""Calls of CasADi functions through NumPy's memory, without conversion of arguments and results."""

from __future__ import annotations

import casadi as ca
import numpy as np


class BufferedCall:
    """A CasADi function of dense arguments with dense results, and memory for them.

    Attributes
    ----------
    arguments, results : list of ndarray (columns, rows)
        Matrices by columns, as CasADi keeps them; write the arguments before, and read the results after a call.
    """

    def __init__(self, function: ca.Function) -> None:
        self.arguments = [np.zeros(function.size_in(i)[::-1]) for i in range(function.n_in())]
        self.results = [np.zeros(function.size_out(i)[::-1]) for i in range(function.n_out())]
        self._buffer, self._evaluate = function.buffer()
        for i, argument in enumerate(self.arguments):
            if argument.size:
                self._buffer.set_arg(i, argument.data)  # pyright: ignore
        for i, result in enumerate(self.results):
            self._buffer.set_res(i, result.data)  # pyright: ignore

    def __call__(self) -> None:
        self._evaluate()
