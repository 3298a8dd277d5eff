"""Progress display of long computations: one line on standard error."""

from __future__ import annotations

from time import perf_counter
from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

LONG = 2.0  # s of wall time after which the display appears by itself: what is shorter needs no watching


class ProgressDisplay:
    """Progress line, shown while the context is entered.

    Parameters
    ----------
    task : str
        Description of the computation.
    total : float or None
        Value of `completed` at the end; None if it is unknown, as for an iteration.
    show : bool or None
        Whether to show the line; None shows it after 2 s, on a terminal or in a notebook.
    """

    def __init__(self, task: str, total: float | None, show: bool | None) -> None:
        console = Console(stderr=True)
        self._show = show
        if show is None and not (console.is_terminal or console.is_jupyter):
            self._show = False
        name, note = TextColumn("{task.description}", markup=False), TextColumn("{task.fields[note]}", markup=False)
        columns: tuple[ProgressColumn, ...] = (SpinnerColumn(), name, note, TimeElapsedColumn())
        if total is not None:
            columns = (name, BarColumn(), TaskProgressColumn(), note, TimeElapsedColumn(), TimeRemainingColumn())
        self._line = Progress(*columns, console=console, transient=show is None)
        self._task = self._line.add_task(task, total=total, note="")
        self._begun = perf_counter()

    def __enter__(self) -> ProgressDisplay:
        if self._show:
            self._line.start()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._line.live.is_started:
            self._line.stop()

    def update(self, note: str, completed: float | None = None, expected: float | None = None) -> None:
        """Update the note and the amount completed; `expected` is the estimated total duration [s], if known."""
        duration = perf_counter() - self._begun if expected is None else expected
        if self._show is None and duration > LONG and not self._line.live.is_started:
            self._line.start()
        self._line.update(self._task, completed=completed, note=note)
