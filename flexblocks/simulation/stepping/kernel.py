"""Kernels: what takes the steps of a schedule, as machine code or on CasADi's virtual machine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from flexblocks.simulation.stepping.schedule import Schedule


class Kernel(ABC):
    """Takes steps by one method of one arm."""

    @abstractmethod
    def take(
        self,
        schedule: Schedule,
        X: np.ndarray,
        U: np.ndarray,
        p: np.ndarray,
        out: np.ndarray,
        done: np.ndarray,
        runs: slice = slice(None),
        memory: Any = None,
    ) -> None:
        """Take the steps of all runs, or of a slice of them.

        All arrays are C-contiguous and of doubles, `done` of int64.

        Parameters
        ----------
        schedule : Schedule
        X : ndarray (runs, nx + 1)
            Start states with work, overwritten by those at the end.
        U : ndarray (runs or 1, rows, nu)
            Inputs; one run's serve all.
        p : ndarray (runs or 1, np)
        out : ndarray (runs, kept, nx + 1)
            Written: the states that the schedule keeps.
        done : ndarray (runs,)
            Written: how many steps were taken. A run ends before the step that fails, or with the first whose result is
            not finite, which does not count.
        memory : object, optional
            That of one run, which continues; without one, all runs begin.
        """

    def memory(self) -> Any:
        """Return what the method keeps of a run from one call to the next; None if states say all."""
        return None
