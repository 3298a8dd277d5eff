"""Equations without the search for common subexpressions, which costs more than it saves where they are used once."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from unittest import mock

import casadi as ca


@contextmanager
def left_in() -> Generator[None]:
    """Leave common subexpressions in what is derived within: the same values, computed several times over."""
    with mock.patch.object(ca, "cse", lambda expression: expression):
        yield
