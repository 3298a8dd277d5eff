"""Warnings that point at the line of the user that led to them, through however many functions of the library."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType

from flexblocks.errors import FlexblocksWarning

Withheld = tuple[str, type[FlexblocksWarning]]  # what is said, and its category
# Frames of the library, and of decorators of Python's own between them.
PASSED = ("flexblocks", "contextlib", "functools")

_COLLECTED: ContextVar[list[Withheld] | None] = ContextVar("collected", default=None)


def warn(message: str, category: type[FlexblocksWarning] = FlexblocksWarning) -> None:
    """Warn at the first line outside the library on the way up the stack."""
    collected = _COLLECTED.get()
    if collected is not None:
        collected.append((message, category))
        return
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in PASSED:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


@contextmanager
def collected_warnings() -> Generator[list[Withheld]]:
    """Collect the warnings of this thread instead of giving them: of a trial, `warn` gives those that are kept."""
    withheld: list[Withheld] = []
    token = _COLLECTED.set(withheld)
    try:
        yield withheld
    finally:
        _COLLECTED.reset(token)
