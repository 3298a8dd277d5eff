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


class StepCall(BufferedCall):
    """One step of an explicit method, or a chain of them, see `flexblocks.dae.explicit_steps`."""

    def take(
        self,
        start: np.ndarray,
        lengths: np.ndarray,
        ticking: np.ndarray,
        u: np.ndarray,
        states: np.ndarray,
        begun: np.ndarray,
        errors: np.ndarray,
    ) -> int:
        """Take steps one after the other, and return how many: the first that is refused is the last one.

        Parameters
        ----------
        start : ndarray (n,)
        lengths : ndarray (k,)
            [s]; a call that is not full is filled with steps of length zero.
        ticking : ndarray (k, clocks)
            Whether each clock ticks at the start of each step.
        u : ndarray (k, nodes * nu)
        states, begun : ndarray (k, nx + 1)
            States at the end of each step, and at its start after the ticks, written here; those where nothing ticks
            are left out without clocks.
        errors : ndarray (k,)
            Written, too.
        """
        where, settings, inputs, *_ = self.arguments
        after, estimates, *ticked = self.results
        size, width, driven = len(settings), states.shape[1], u.size > 0
        where[0] = start
        for done in range(0, len(lengths), size):
            part = slice(done, done + size)
            taken = min(size, len(lengths) - done)
            if taken < size:
                settings[taken:, 0] = settings[taken:, 3:] = 0.0
            settings[:taken, 0], settings[:taken, 3:] = lengths[part], ticking[part]
            if driven:
                inputs[:taken] = u[part]
            self._evaluate()
            states[part], errors[part] = after[:taken, :width], estimates[:taken, 0]
            if ticked:
                begun[part] = ticked[0][:taken]
            where[0] = after[taken - 1]
            if not (estimates[0, 0] if size == 1 else estimates[:taken].max()) <= 1.0:
                return done + int(np.argmin(errors[part] <= 1.0)) + 1
        return len(lengths)
