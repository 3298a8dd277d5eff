"""Watch IPOPT's iterations: report progress, keep the last iterate, stop on Ctrl-C."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import casadi as ca
import numpy as np


@dataclass(frozen=True)
class Iteration:
    """One iterate, as the iteration callback gets it.

    Attributes
    ----------
    number : int
        From 0, the start.
    objective : float
        In the user's sense, unscaled.
    infeasibility : float
        Largest violation of a constraint.
    """

    number: int
    objective: float
    infeasibility: float


class Watch(ca.Callback):
    """The callback that CasADi calls after every iteration.

    Attributes
    ----------
    last : dict of casadi.DM
        The last iterate, keys as in the result of `casadi.nlpsol`; empty before the first.
    interrupted : bool
        Set it to stop at the next iteration.
    error : BaseException or None
        What the user's callback raised.
    """

    def __init__(self, lower: np.ndarray, upper: np.ndarray, n: int, n_p: int, sense: int, callback: Callable | None):
        ca.Callback.__init__(self)
        m = len(lower)
        self._lower, self._upper, self._sense, self._callback = lower, upper, sense, callback
        self._sizes = {"x": n, "f": 1, "g": m, "lam_x": n, "lam_g": m, "lam_p": n_p}
        self.number = 0
        self.last: dict[str, ca.DM] = {}
        self.interrupted = False
        self.error: BaseException | None = None
        self.construct("watch", {})

    def get_n_in(self) -> int:
        return ca.nlpsol_n_out()

    def get_n_out(self) -> int:
        return 1

    def get_name_in(self, i: int) -> str:
        return ca.nlpsol_out(i)

    def get_sparsity_in(self, i: int) -> ca.Sparsity:
        return ca.Sparsity.dense(self._sizes[ca.nlpsol_out(i)], 1)

    def eval(self, arg):
        self.last = {ca.nlpsol_out(i): item for i, item in enumerate(arg)}
        try:
            stop = self._callback is not None and bool(self._callback(self._iteration()))
        except KeyboardInterrupt:
            stop = self.interrupted = True
        except BaseException as error:  # must not unwind through IPOPT; the solver raises it again
            stop, self.error = True, error
        self.number += 1
        return [int(stop or self.interrupted)]

    def _iteration(self) -> Iteration:
        g = np.asarray(self.last["g"]).ravel()
        violation = np.maximum(self._lower - g, g - self._upper)
        return Iteration(self.number, self._sense * float(self.last["f"]), float(violation.max(initial=0.0)))

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Turn the first Ctrl-C into a stop at the next iteration; the second one is an ordinary KeyboardInterrupt."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        previous = signal.getsignal(signal.SIGINT)

        def stop(signum, frame):
            self.interrupted = True
            signal.signal(signal.SIGINT, previous)

        signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, previous)
