"""Progress display of long computations: one line on standard error, or lines in a log."""

from __future__ import annotations

import sys
import threading
import weakref
from functools import cached_property
from math import inf
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

LONG = 2.0  # s of wall time after which the display appears by itself: what is shorter needs no watching
OFTEN = 0.2  # s of wall time between changes of a line in a notebook
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


class _NotebookLine:
    """What is used of rich's Progress, as an output of a cell that changes: rich's own needs ipywidgets there."""

    task_ids: Any = (0,)

    def __init__(self, name: str, total: float | None, begun: float, console: Console) -> None:
        self._name, self._total, self._begun, self.console = name, total, begun, console
        self._handle: Any = None
        self._shown = -inf

    @property
    def live(self) -> _NotebookLine:
        return self

    @property
    def is_started(self) -> bool:
        return self._handle is not None

    def start(self) -> None:
        from IPython.display import display  # there is no notebook without it

        self._handle = display(self._content(""), raw=True, display_id=True)

    def update(self, task: Any, completed: float | None, note: str) -> None:
        del task  # there is one
        now = perf_counter()
        if self._handle is None or now - self._shown < OFTEN:
            return
        self._shown = now
        share = f" {completed / self._total:.0%}" if completed is not None and self._total else ""
        self._handle.update(self._content(f"{share} {note}"), raw=True)

    def stop(self) -> None:
        if self._handle is not None:
            self._handle.update(self._content(": done"), raw=True)
        self._handle = None

    def _content(self, told: str) -> dict[str, str]:
        return {"text/plain": f"{self._name}{told}, {perf_counter() - self._begun:.0f} s"}


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
    def _line(self) -> Progress | _NotebookLine:
        """The line on a terminal or in a notebook; rich is imported for displays that may appear."""
        from rich import console, progress

        if (screen := console.Console(stderr=True)).is_jupyter:
            return _NotebookLine(self._name, self._total, self._begun, screen)
        name, note = (progress.TextColumn(f"{{task.{told}}}", markup=False) for told in ("description", "fields[note]"))
        columns: tuple[Any, ...] = (progress.SpinnerColumn(), name, note, progress.TimeElapsedColumn())
        if self._total is not None:
            bar = (progress.BarColumn(), progress.TaskProgressColumn())
            columns = (name, *bar, note, columns[-1], progress.TimeRemainingColumn())
        line = progress.Progress(*columns, console=screen, transient=self._show is None)
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
        if (outermost := self._entered.outermost) is not None and outermost._show is False:
            self._show = False  # silencing a long task silences its parts
        self._entered.add(self)
        if self._show and not self._logs:
            self._line.start()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._entered.remove(self)
        if self._is_shown:
            self._line.stop()
        if self._show and self._logs and error is None:
            # An explicit request shows the bar, however short the work was.
            print(f"{self._name}: 100%, {perf_counter() - self._begun:.3g} s", file=sys.stderr, flush=True)

    def update(self, note: str, completed: float | None = None, expected: float | None = None) -> None:
        """Update the note and the amount completed; `expected` is the estimated total duration [s], if known."""
        if self._show is False:
            return
        now, outermost = perf_counter(), self._entered.outermost or self
        duration = now - self._begun if expected is None else expected
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
