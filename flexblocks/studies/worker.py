"""What a worker does: a batch of cases, one after the other, with a task that is prepared once."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from flexblocks.progress import ProgressDisplay
from flexblocks.studies.cases import Case
from flexblocks.studies.journal import Journal, UnwritableJournalError
from flexblocks.studies.outcome import Outcome, outcome, same_layout

Batch = Sequence[tuple[int, Case]]
MOST_KEPT = 4  # tasks that a worker keeps prepared
ALIVE = 1.0  # s between looks at whether the process that started this one still lives


class Parcel:
    """A task on its way to workers: pickled once, and prepared once in each thread that works on it.

    Parameters
    ----------
    task : callable
        From a case to its result. If it has a method `prepare`, what that returns for the names in the cases is called
        in its place; the method is called once a worker, and assembles arms, for instance.
    names : tuple of str
        Names in the cases.
    """

    _kept = threading.local()

    def __init__(self, task: Any, names: tuple[str, ...]) -> None:
        self.key, self.names, self._task = uuid.uuid4().hex, names, task
        self._content: bytes | None = None

    def content(self) -> bytes:
        """Return the task as bytes.

        Raises
        ------
        PickleError
            It holds something that no other process could make out.
        """
        if self._content is None:
            self._content = pickled(self._task)
        return self._content

    def __getstate__(self) -> dict[str, Any]:
        return {"key": self.key, "names": self.names, "_content": self.content()}

    def function(self) -> Callable[[Case], Any]:
        """Return the prepared task of this thread."""
        prepared: OrderedDict[str, Any] = self._kept.__dict__.setdefault("prepared", OrderedDict())
        if self.key not in prepared:
            task = vars(self).get("_task")
            if task is None:
                assert self._content is not None  # it came with the state
                task = pickle.loads(self._content)
            prepared[self.key] = task.prepare(self.names) if hasattr(task, "prepare") else task
            if len(prepared) > MOST_KEPT:
                prepared.popitem(last=False)
        return prepared[self.key]

    def forget(self) -> None:
        """Drop the prepared task of this thread."""
        self._kept.__dict__.get("prepared", {}).pop(self.key, None)


def run_batch(
    parcel: Parcel, batch: Batch, journal: Path | None, stop: Callable[[], bool] | None = None
) -> list[tuple[int, Outcome]]:
    """Return the outcomes of a batch, fewer if it is stopped or cannot write them.

    Parameters
    ----------
    parcel : Parcel
    batch : sequence of (int, dict)
        Cases with their numbers.
    journal : Path or None
        Where to note what is finished. Where its folder cannot be seen, on another machine, nothing is noted.
    stop : callable, optional
        In the driver's own process: whether to stop. A worker process stops when its driver is gone.
    """
    if stop is None and multiprocessing.parent_process() is not None:
        _become_worker()
    _busy.add(threading.get_ident())
    try:
        noted = Journal(journal) if journal is not None and journal.parent.is_dir() else nullcontext()
        # The driver shows how far the study is; lines of many workers about their cases would run into each other.
        with noted as notes, ProgressDisplay("", None, False) if stop is None else nullcontext():
            return list(_outcomes(parcel, batch, notes, stop or _is_orphan, stop is not None))
    except UnwritableJournalError:
        return []
    finally:
        _busy.discard(threading.get_ident())


def _outcomes(
    parcel: Parcel, batch: Batch, notes: Journal | None, stopped: Callable[[], bool], with_driver: bool
) -> Iterator[tuple[int, Outcome]]:
    function, form = parcel.function(), None
    for index, case in batch:
        if stopped():
            return
        if notes is not None and index in notes.finished:
            yield index, notes.finished[index]
            continue
        try:
            if notes is not None:
                notes.begin(index)
        except OSError:
            return
        result = outcome(function, case)
        if with_driver and stopped() and threading.current_thread() is threading.main_thread():
            return  # Ctrl-C may have cut this case short
        if result.form is not None:
            form = form or result.form
            if form is not result.form and same_layout(form, result.form):
                result = replace(result, form=form)  # one in the message, which is compared once
        try:
            if notes is not None:
                notes.put(index, result)
        except OSError:
            # The disk is full. Before more is computed, the driver sees whether the store can be written.
            yield index, result
            return
        yield index, result


_busy: set[int] = set()  # threads that have a batch in hand
_parent: int | None = None  # process that started this worker; None: this is no worker


def _is_orphan() -> bool:
    """Whether the process that started this worker is gone."""
    if _parent is None:
        return False
    # The parent of a forked process is its driver; others have a pipe to it, which siblings of forked ones keep open.
    driver = multiprocessing.parent_process()
    return os.getppid() != _parent or (driver is not None and not driver.is_alive())


def _become_worker() -> None:
    """Leave Ctrl-C to the process that started this one, and end when that is gone."""
    global _parent
    if _parent is not None:
        return
    _parent = os.getppid()
    with suppress(ValueError):  # not the main thread of a worker
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    # A batch in hand ends after the case it is at, whose outcome goes into its journal.
    while not _is_orphan() or _busy:
        time.sleep(ALIVE if not _is_orphan() else ALIVE / 10)
    os._exit(1)


def pickled(task: Any) -> bytes:
    """Return a task as bytes, functions of a notebook included where cloudpickle is installed.

    They go to the workers of this study, which run them, and into no file.
    """
    try:
        import cloudpickle
    except ImportError:
        return pickle.dumps(task, pickle.HIGHEST_PROTOCOL)
    return cloudpickle.dumps(task)
