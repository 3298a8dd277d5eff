"""Ctrl-C during a run: noted at once, obeyed between two chunks, so that nothing computed is lost."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType


class Interrupt:
    """Takes Ctrl-C while it is entered (in the main thread; elsewhere Python does not deliver it).

    CasADi's integrators would turn a KeyboardInterrupt into a failure of the equations. The first Ctrl-C is therefore
    only noted, the second one raised at once.
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
