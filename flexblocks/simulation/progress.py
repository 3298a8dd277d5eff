"""The progress bar of whatever takes long."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

LONG = 2.0  # s of wall time from which on something deserves a bar


class ProgressBar:
    """A bar on the standard error stream, while it is entered.

    Parameters
    ----------
    task : str
        What is done.
    total : float
        The value of `update` at which it is done.
    show : bool or None
        Whether to show the bar; None for what will take more than 2 s, on a terminal.
    """

    def __init__(self, task: str, total: float, show: bool | None) -> None:
        console = Console(stderr=True)
        self._show = show
        if show is None and not (console.is_terminal or console.is_jupyter):
            self._show = False
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[note]}", markup=False),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=show is None,
        )
        self._task = self._bar.add_task(task, total=total, note="")

    def __enter__(self) -> ProgressBar:
        if self._show:
            self._bar.start()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._bar.live.is_started:
            self._bar.stop()

    def update(self, completed: float, note: str, expected: float) -> None:
        """Show how much is completed, with a `note`; the whole is `expected` to take that many seconds."""
        if self._show is None and expected > LONG and not self._bar.live.is_started:
            self._bar.start()
        self._bar.update(self._task, completed=completed, note=note)
