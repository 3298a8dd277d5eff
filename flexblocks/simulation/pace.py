"""How far to integrate in one go, and the progress bar."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

CHUNK = 0.5  # s of wall time after which Ctrl-C is heard and the bar moves
LONG = 2.0  # s of wall time from which on a run deserves a bar


class Pace:
    """Cuts a run into chunks of about half a second of wall time, and shows how far it is.

    Every chunk starts the method anew, which is cheap as long as chunks are long.

    Parameters
    ----------
    name : str
        What is simulated.
    start, end : float
        The run [s].
    progress : bool or None
        Whether to show the bar; None for runs that will take more than 2 s, on a terminal.
    """

    def __init__(self, name: str, start: float, end: float, progress: bool | None) -> None:
        self.start, self.end = start, end
        self.length = (end - start) / 1e5  # a guess, until the first chunk has shown how fast it goes
        self._wall = 0.0
        self._show = progress
        console = Console(stderr=True)
        if progress is None and not (console.is_terminal or console.is_jupyter):
            self._show = False
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("t = {task.fields[t]:.4g} s"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=progress is None,
        )
        self._task = self._bar.add_task(f"Simulating {name}", total=end - start, t=start)
        if self._show:
            self._bar.start()

    def __enter__(self) -> Pace:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._bar.live.is_started:
            self._bar.stop()

    def begin(self) -> None:
        """Start the clock of a chunk."""
        self._begun = time.perf_counter()

    def done(self, before: float, now: float) -> None:
        """Note that the run has come from `before` to `now` [s]."""
        wall = max(time.perf_counter() - self._begun, 1e-6)
        self._wall += wall
        self.length = min(CHUNK * (now - before) / wall, 50 * self.length)
        left = wall * (self.end - now) / (now - before)
        if self._show is None and self._wall + left > LONG and not self._bar.live.is_started:
            self._bar.start()
        self._bar.update(self._task, completed=now - self.start, t=now)
