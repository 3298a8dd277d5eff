"""Solver log, copied to several streams."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import contextmanager, redirect_stdout
from typing import TextIO


class _Splitter(io.TextIOBase):
    def __init__(self, streams: Sequence[TextIO]):
        super().__init__()
        self._streams = streams

    def write(self, text: str) -> int:
        for stream in self._streams:
            stream.write(text)
        return len(text)

    def flush(self) -> None:
        for stream in self._streams:
            stream.flush()


@contextmanager
def logged(streams: Sequence[TextIO]):
    """Redirect the output of CasADi and IPOPT to `streams`; yield a StringIO that records it too."""
    record = io.StringIO()
    with redirect_stdout(_Splitter([record, *streams])):
        yield record
