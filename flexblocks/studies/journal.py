"""Journal of a batch of cases: what is finished is in a file before the next case begins.

A record is written in one piece by the process that computed it; a record that was cut off by a kill, a power cut or a
full disk does not count. No record runs code when it is read.

The writer of a journal holds its lock, so that a study started again waits for cases that survivors of an earlier run
still have in hand.
"""

from __future__ import annotations

import os
import struct
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from flexblocks.errors import FileFormatError
from flexblocks.studies.outcome import Outcome
from flexblocks.studies.record import RecordError, RecordReader, RecordWriter

HEAD = struct.Struct("<IIq")  # size and check sum of what follows, number of the case
EVERY = 0.5  # s between calls that wait for the disk: what a power cut, not a kill, may take
SUFFIX = ".journal"


class UnwritableJournalError(FileFormatError):
    """A journal cannot be opened: its disk is full, or read-only."""


class Journal:
    """Journal that is written by one process, as a context.

    Attributes
    ----------
    finished : dict
        Outcomes by case that an earlier attempt at the same batch has left.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.finished: dict[int, Outcome] = {}
        self._writer = RecordWriter()

    def __enter__(self) -> Journal:
        try:
            self._file = self._path.open("a+b", buffering=0)
        except OSError as error:
            raise UnwritableJournalError(f"{self._path}: {error.strerror}") from error
        lock(self._file)
        self._end = 0
        self._synced = time.monotonic()
        for index, result, end in _records(self._path):
            self._end = end
            if result is not None:
                self.finished[index] = result
        self._file.truncate(self._end)
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with suppress(OSError):  # a full disk is reported when results are written
            os.fsync(self._file.fileno())
        self._file.close()

    def begin(self, index: int) -> None:
        """Note that a case is begun: if the process dies, it is one of those that may be the reason."""
        self._write(index, b"")

    def put(self, index: int, result: Outcome) -> None:
        """Note the outcome of a case."""
        self._write(index, self._writer.record(result))
        if time.monotonic() - self._synced > EVERY:
            os.fsync(self._file.fileno())
            self._synced = time.monotonic()

    def _write(self, index: int, content: bytes) -> None:
        record = HEAD.pack(len(content), zlib.crc32(content), index) + content
        try:
            written = self._file.write(record)
            if written != len(record):  # the disk is full
                written += self._file.write(record[written:]) or 0
        except OSError:
            # What has been written of it must not hide records after it.
            self._file.truncate(self._end)
            raise
        self._end += len(record)


def lock(file: BinaryIO, wait: bool = True) -> bool:
    """Lock a file against other processes, until it is closed; where the system has no such locks, do nothing."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True


def is_written(path: Path) -> bool:
    """Whether a process still writes a journal."""
    with path.open("rb") as file:
        return not lock(file, wait=False)


def outcomes(path: Path) -> Iterator[tuple[int, Outcome]]:
    """Yield number and outcome of the finished cases of a journal."""
    for index, result, _ in _records(path):
        if result is not None:
            yield index, result


def begun(path: Path) -> list[int]:
    """Return the cases of a journal that are begun and not finished."""
    open_ones: dict[int, None] = {}
    for index, result, _ in _records(path):
        if result is None:
            open_ones[index] = None
        else:
            open_ones.pop(index, None)
    return list(open_ones)


def _records(path: Path) -> Iterator[tuple[int, Outcome | None, int]]:
    """Yield case, outcome (None: begun) and the position after it of the whole records of a file.

    Raises
    ------
    RecordError
        A record is whole, and nothing that a journal holds.
    """
    reader = RecordReader()
    with path.open("rb") as file:
        while len(head := file.read(HEAD.size)) == HEAD.size:
            size, check, index = HEAD.unpack(head)
            content = file.read(size)
            if len(content) < size or zlib.crc32(content) != check:
                return
            try:
                result = reader.outcome(content) if size else None
            except RecordError as error:
                raise RecordError(
                    f"{path}: the record of case {index} {error}; it comes from elsewhere, or from another version of "
                    "flexblocks. Remove the journal, and its cases are done again."
                ) from error
            yield index, result, file.tell()
