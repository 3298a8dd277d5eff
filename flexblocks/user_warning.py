"""Warnings that point at the line of the user that led to them, through however many functions of the library."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

from flexblocks.errors import FlexblocksWarning

# Frames of the library, and of decorators of Python's own between them.
PASSED = ("flexblocks", "contextlib", "functools")


def warn(message: str, category: type[FlexblocksWarning] = FlexblocksWarning) -> None:
    """Warn at the first line outside the library on the way up the stack."""
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in PASSED:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
