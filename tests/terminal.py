"""A terminal at which somebody presses Ctrl-C."""

from __future__ import annotations

import _thread
import io
import re


class ImpatientTerminal(io.StringIO):
    """A stream that interrupts the main thread once what it shows matches a pattern.

    Parameters
    ----------
    pattern : str
        A regular expression, searched in every text that is written.

    Attributes
    ----------
    seen : re.Match or None
        What made it interrupt.
    """

    def __init__(self, pattern: str) -> None:
        super().__init__()
        self.seen: re.Match[str] | None = None
        self._pattern = re.compile(pattern)

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self.seen is None:
            self.seen = self._pattern.search(text)
            if self.seen is not None:
                _thread.interrupt_main()
        return super().write(text)
