"""Handling of Ctrl-C during a run: recorded at once, obeyed between two chunks, so that no result is lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any


class Interrupt:
    """Context that intercepts Ctrl-C (in the main thread; Python does not deliver it elsewhere).

    CasADi's integrators would turn a KeyboardInterrupt into a failure of the equations. Therefore the first Ctrl-C is
    only recorded; the second is raised at once. A context within another one tells the outer one, too; a process that
    ignores Ctrl-C, as workers do, goes on ignoring it.
    """

    def __init__(self) -> None:
        self.asked = False
        self._before: Callable[..., Any] | int | None = None
        self._installed = False

    def __enter__(self) -> Interrupt:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.getsignal(signal.SIGINT)
            self._installed = self._before is not signal.SIG_IGN
        if self._installed:
            signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, self._before or signal.default_int_handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        if isinstance(getattr(self._before, "__self__", None), Interrupt) and callable(self._before):
            self._before(number, frame)

    def obey(self) -> None:
        """Raise KeyboardInterrupt if Ctrl-C was pressed."""
        if self.asked:
            raise KeyboardInterrupt
