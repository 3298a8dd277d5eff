"""Folder of the journals of a study, beside its store, while there is something in hand."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from flexblocks.errors import FileFormatError
from flexblocks.files import atomic_file
from flexblocks.studies.identity import Identity
from flexblocks.studies.journal import SUFFIX, is_written, lock, outcomes
from flexblocks.studies.outcome import Outcome
from flexblocks.studies.record import RecordError
from flexblocks.studies.stores.store import Store, StoreError, check

NOTE = "study.json"
PATIENCE = 2.0  # in which a worker whose driver is gone notices it, and ends [s]


class Journals:
    """Folder of journals, as a context; without a store it is a temporary one.

    Parameters
    ----------
    store : Store
    identity : dict
        Of the study. Journals are of the same one, also where the store itself is not there yet, or any more.
    needed : bool
        Whether there is to be one without a store.
    """

    def __init__(self, store: Store, identity: Identity, needed: bool) -> None:
        self.kept, self._identity = store.path is not None, identity
        self.folder: Path | None = None
        if store.path is not None:
            self.folder = store.path.with_name(store.path.name + ".unfinished")
        elif needed:
            self.folder = Path(tempfile.mkdtemp(prefix="flexblocks-study-"))

    def __enter__(self) -> Journals:
        if self.folder is not None and self.kept:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                self._lock = (self.folder / "lock").open("a+b", buffering=0)
            except OSError as error:
                raise StoreError(f"{self.folder}: cannot be written: {error.strerror}; choose another.") from error
            if not lock(self._lock, wait=False):
                self._lock.seek(0)
                raise StoreError(
                    f"{self.folder}: process {self._lock.read().decode() or 'unknown'} is at work on this study; wait "
                    "for it, or end it."
                )
            try:
                self._lock.truncate(0)
                self._lock.write(str(os.getpid()).encode())
                self._claim(self.folder)
            except StoreError:
                raise
            except (OSError, FileFormatError) as error:
                self._let_go()
                reason = getattr(error, "strerror", None) or str(error)
                raise StoreError(
                    f"{self.folder}: cannot be written: {reason.rstrip('.')}. What was finished before is as it was; "
                    "choose a folder that is writable and has free space."
                ) from error
        return self

    def _claim(self, folder: Path) -> None:
        """Refuse journals of another study; note of which one those to come are."""
        note = folder / NOTE
        if list(folder.glob(f"*{SUFFIX}")):
            try:
                check(folder, note.read_text() if note.exists() else None, self._identity)
            except StoreError:
                self._lock.close()
                raise
        else:
            with atomic_file(note) as unfinished:
                unfinished.write_text(json.dumps(self._identity))

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.folder is None:
            return
        if not self.kept:
            shutil.rmtree(self.folder, ignore_errors=True)
            return
        with suppress(OSError, RecordError):
            self._remove_empty()
        self._let_go()

    def _let_go(self) -> None:
        """Let others have the folder, or remove it if nothing is left in it."""
        assert self.folder is not None
        with suppress(OSError):
            if not list(self.folder.glob(f"*{SUFFIX}")):
                (self.folder / NOTE).unlink(missing_ok=True)
                (self.folder / "lock").unlink()
                self.folder.rmdir()
        self._lock.close()

    def _remove_empty(self) -> None:
        """Remove journals without outcomes: a worker of a run that was killed may begin one before it notices."""
        assert self.folder is not None
        deadline = time.monotonic() + PATIENCE
        for path in self.folder.glob(f"*{SUFFIX}"):
            while is_written(path) and time.monotonic() < deadline:
                time.sleep(0.05)
            if not is_written(path) and not list(outcomes(path)):
                path.unlink(missing_ok=True)

    def new(self) -> Path | None:
        """Return the path of another journal."""
        return None if self.folder is None else self.folder / f"{uuid.uuid4().hex}{SUFFIX}"

    def left(self, wait: Callable[[str], object]) -> Iterator[tuple[Path, list[tuple[int, Outcome]]]]:
        """Yield the journals of earlier runs with their outcomes, when those who write them are through."""
        for path in sorted(self.folder.glob(f"*{SUFFIX}")) if self.folder is not None else []:
            while is_written(path):
                wait("waits for a worker of an earlier run to end its case")
                time.sleep(0.1)
            yield path, list(outcomes(path))
