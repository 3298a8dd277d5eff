"""Progress display of long computations: one line on standard error, or lines in a log."""

from __future__ import annotations

import sys
import threading
import weakref
from functools import cached_property
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from rich.progress import Progress

LONG = 2.0  # s of wall time after which the display appears by itself: what is shorter needs no watching
EVERY = 5.0  # s of wall time between the lines of a log


class _Entered(threading.local):
    """The displays that a thread has entered, outermost first: one that an interrupt cut off is not kept by it."""

    def __init__(self) -> None:
        self._displays: list[weakref.ref[ProgressDisplay]] = []

    def add(self, display: ProgressDisplay) -> None:
        self._displays.append(weakref.ref(display))

    def remove(self, display: ProgressDisplay) -> None:
        self._displays = [each for each in self._displays if each() not in (display, None)]

    @property
    def outermost(self) -> ProgressDisplay | None:
        return next((display for each in self._displays if (display := each()) is not None), None)


class ProgressDisplay:
    """Progress of a computation, shown while the context is entered.

    On a terminal or in a notebook it is one line that changes. Elsewhere (a log file, a pipe, a batch system) it is a
    line every 5 s. Displays that are entered within another count its time: many short parts of long work are logged,
    too.

    Parameters
    ----------
    task : str
        Description of the computation.
    total : float or None
        Value of `completed` at the end; None if it is unknown, as for an iteration.
    show : bool or None
        Whether to show it; None shows it after 2 s on a terminal or in a notebook, after 5 s elsewhere.
    """

    _entered: ClassVar[_Entered] = _Entered()

    def __init__(self, task: str, total: float | None, show: bool | None) -> None:
        self._show, self._name, self._total = show, task, total
        self._begun = self._logged = perf_counter()

    @cached_property
    def _line(self) -> Progress:
        """The line on a terminal; rich is imported for displays that may appear."""
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

        name, note = TextColumn("{task.description}", markup=False), TextColumn("{task.fields[note]}", markup=False)
        columns: tuple[ProgressColumn, ...] = (SpinnerColumn(), name, note, TimeElapsedColumn())
        if self._total is not None:
            columns = (name, BarColumn(), TaskProgressColumn(), note, TimeElapsedColumn(), TimeRemainingColumn())
        line = Progress(*columns, console=Console(stderr=True), transient=self._show is None)
        line.add_task(self._name, total=self._total, note="")
        return line

    @cached_property
    def _logs(self) -> bool:
        """Whether lines of a log are written, and no line is changed."""
        return not (self._line.console.is_terminal or self._line.console.is_jupyter)

    @property
    def _is_shown(self) -> bool:
        return "_line" in vars(self) and self._line.live.is_started

    def __enter__(self) -> ProgressDisplay:
        outermost = self._entered.outermost
        if outermost is not None and outermost._show is False:
            self._show = False  # whoever silences a long work silences its parts
        self._entered.add(self)
        if self._show and not self._logs:
            self._line.start()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._entered.remove(self)
        if self._is_shown:
            self._line.stop()
        if self._show and self._logs and error is None:
            # Who asks for it sees that it was done, however short it was.
            print(f"{self._name}: 100%, {perf_counter() - self._begun:.3g} s", file=sys.stderr, flush=True)

    def update(self, note: str, completed: float | None = None, expected: float | None = None) -> None:
        """Update the note and the amount completed; `expected` is the estimated total duration [s], if known."""
        if self._show is False:
            return
        now = perf_counter()
        duration = now - self._begun if expected is None else expected
        outermost = self._entered.outermost or self
        if self._show is None and duration <= LONG and now - outermost._logged < EVERY and not self._is_shown:
            return  # a line is not even made, which takes 3 % of a short simulation
        if self._logs:
            self._log(note, completed)
            return
        if self._show is None and duration > LONG and not self._is_shown:
            self._line.start()
        self._line.update(self._line.task_ids[0], completed=completed, note=note)

    def _log(self, note: str, completed: float | None) -> None:
        """Write a line, unless one was written a short time ago."""
        now, outermost = perf_counter(), self._entered.outermost or self
        if now - outermost._logged < EVERY:
            return
        outermost._logged = now
        share = f" {completed / self._total:.0%}," if completed is not None and self._total else ""
        print(f"{self._name}:{share} {note}, {now - outermost._begun:.0f} s", file=sys.stderr, flush=True)
