"""Warnings that point at the line of the user that led to them, through however many functions of the library."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType

from flexblocks.warning_kinds import PAGE, WarningKind

Withheld = tuple[str, WarningKind]  # what is said, and its kind
# Frames of the library, and of decorators of Python's own between them.
PASSED = ("flexblocks", "contextlib", "functools")

_COLLECTED: ContextVar[list[Withheld] | None] = ContextVar("collected", default=None)


def warn(message: str, kind: WarningKind) -> None:
    """Warn at the first line outside the library on the way up the stack, with a link to what the kind means."""
    collected = _COLLECTED.get()
    if collected is not None:
        collected.append((message, kind))
        return
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in PASSED:
        frame, level = frame.f_back, level + 1
    warning = kind.category(f"{message}\n({PAGE}#{kind.name})")
    warning.kind = kind.name
    warnings.warn(warning, stacklevel=level)


@contextmanager
def collected_warnings() -> Generator[list[Withheld]]:
    """Collect the warnings of this thread instead of giving them: of a trial, `warn` gives those that are kept."""
    withheld: list[Withheld] = []
    token = _COLLECTED.set(withheld)
    try:
        yield withheld
    finally:
        _COLLECTED.reset(token)
