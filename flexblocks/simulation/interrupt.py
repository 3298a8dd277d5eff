"""Handling of Ctrl-C during a run: recorded at once, obeyed between two chunks, so that no result is lost."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType


class Interrupt:
    """Context that intercepts Ctrl-C (in the main thread; Python does not deliver it elsewhere).

    CasADi's integrators would turn a KeyboardInterrupt into a failure of the equations. Therefore the first Ctrl-C is
    only recorded; the second is raised at once.
    """

    def __init__(self) -> None:
        self.asked = False

    def __enter__(self) -> Interrupt:
        self._main = threading.current_thread() is threading.main_thread()
        if self._main:
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._main:
            signal.signal(signal.SIGINT, self._before or signal.default_int_handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def obey(self) -> None:
        """Raise KeyboardInterrupt if Ctrl-C was pressed."""
        if self.asked:
            raise KeyboardInterrupt
