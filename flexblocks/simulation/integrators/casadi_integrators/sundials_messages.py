"""Messages that SUNDIALS writes to the standard error before it fails, which the error that follows explains better.

CasADi's option ``disable_internal_warnings`` silences CVODES, not IDAS.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, get_ident
from typing import Any

# How messages of a failure begin, which CasADi's error then names by its flag.
FAILURES = ("At t = ", "Newton/Linesearch algorithm failed")

_lock = Lock()
_held: dict[int, list[str]] = {}  # what each thread wrote


class _PerThread:
    """A stream that holds what some threads write, and passes on what others do."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        held = _held.get(get_ident())
        if held is None:
            return self.stream.write(text)
        held.append(text)
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def without_messages_of_failures() -> Iterator[None]:
    """Drop SUNDIALS's messages from the standard error if an error follows; all else is passed on at the end."""
    mine: list[str] = []
    with _lock:
        if not _held:
            sys.stderr = _PerThread(sys.stderr)
        _held[get_ident()] = mine
    failed = True
    try:
        yield
        failed = False
    finally:
        with _lock:
            del _held[get_ident()]
            if not _held and isinstance(sys.stderr, _PerThread):
                sys.stderr = sys.stderr.stream
        for line in "".join(mine).splitlines(keepends=True):
            if sys.stderr is not None and not (failed and line.startswith(FAILURES)):
                sys.stderr.write(line)
