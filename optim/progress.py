"""Progress of a long solve."""

from __future__ import annotations

from time import perf_counter
from types import TracebackType

from rich.console import Console
from rich.status import Status

from .casadi_solver import Iteration

LONG = 2.0  # s after which a solve deserves to be watched


class Progress:
    """A line with iteration, objective and infeasibility, as the solver's iteration callback.

    Parameters
    ----------
    name : str
        What is planned.
    show : bool or None
        None for solves of more than 2 s, on a terminal.
    """

    def __init__(self, name: str, show: bool | None) -> None:
        console = Console(stderr=True)
        self._show = console.is_terminal if show is None else show
        self._patience = LONG if show is None else 0.0
        self._name, self._begun, self._started = name, perf_counter(), False
        self._status = Status(f"Planning {name}", console=console)

    def __call__(self, iteration: Iteration) -> None:
        """Show an iteration."""
        if not self._show or perf_counter() - self._begun < self._patience:
            return
        self._status.update(
            f"Planning {self._name}: iteration {iteration.number}, objective {iteration.objective:.6g}, "
            f"infeasibility {iteration.infeasibility:.1e}"
        )
        if not self._started:
            self._status.start()
            self._started = True

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._started:
            self._status.stop()
