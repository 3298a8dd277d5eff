"""Study: a task for many cases, on whatever computers there are, that goes on where it stopped."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

from flexblocks import errors
from flexblocks.errors import ComputationError, FlexblocksWarning, ParameterError
from flexblocks.interrupt import Interrupt
from flexblocks.libraries import xr
from flexblocks.progress import ProgressDisplay
from flexblocks.studies import journal
from flexblocks.studies.cases import Cases, as_cases
from flexblocks.studies.choose_store import store_of
from flexblocks.studies.identity import identity
from flexblocks.studies.journals import Journals
from flexblocks.studies.outcome import Outcome
from flexblocks.studies.pools import Pool, pool_of
from flexblocks.studies.results import Results
from flexblocks.studies.schedule import Queue, completed, has_died
from flexblocks.studies.worker import Parcel, run_batch
from flexblocks.user_warning import warn

DIED = "The process that worked on this case died, alone with it: it was killed, or ran out of memory."


class StudyError(ComputationError):
    """A study ended early.

    Attributes
    ----------
    dataset : xarray.Dataset
        What is finished.
    """

    def __init__(self, message: str, dataset: xr.Dataset) -> None:
        super().__init__(message)
        self.dataset = dataset


def study(
    task: Any,
    cases: Cases | Mapping[str, Any] | Any,
    store: str | Path | None = None,
    executor: Any = None,
    progress: bool | None = None,
    *,
    retry: bool = False,
) -> xr.Dataset:
    """Do a task for many cases.

    Parameters
    ----------
    task : callable
        One of `flexblocks.tasks`, or a function of a case, a dict by name, that returns a number, a text, an array, a
        dict of these (or of ``(dims, array)``), a Dataset, or a `Trajectory`; in the same form for all cases.
    cases : Cases
        Of `grid`, `samples` or `table`; or what `table` takes.
    store : path, optional
        Where the results are kept: ``study.zarr``, or ``study.nc`` for a small study. If it is there, what it lacks is
        done. By default in memory.
    executor : int, concurrent.futures.Executor or dask.distributed.Client, optional
        Who does it: a number of processes of its own, which are replaced if they die; or workers of the user's. By
        default this process. The results are the same to the last digit.
    progress : bool, optional
        Whether to show progress; by default if it takes long.
    retry : bool
        Whether cases that have failed in an earlier run are done again.

    Returns
    -------
    xarray.Dataset
        Over ``case``: the results; what varies and the ``state`` of each case (0 missing, 1 done, 2 failed) as
        coordinates; ``error``, the text of the error of a case that failed, and ``warning`` of one that warned;
        ``seconds`` that each took. Where there is no result it is nan. From a Zarr store, values are read when they are
        used. After Ctrl-C it holds what is finished.

    Raises
    ------
    StoreError
        The store holds another study, cannot be written, or another process is at work on it.
    PickleError
        The task cannot be taken to another process; the message names what cannot.
    StudyError
        The user's workers died.
    ParameterError
        Invalid cases, store or executor.

    Warns
    -----
    FlexblocksWarning
        Cases failed, or it was interrupted.

    Examples
    --------
    >>> import flexblocks as fb
    >>> runs = fb.study(lambda case: case["a"] ** 2, fb.grid({"a": [1.0, 2.0, 3.0]}))
    >>> runs["value"].values.tolist()
    [1.0, 4.0, 9.0]
    """
    cases, pool, kept = as_cases(cases), pool_of(executor), store_of(store)
    if not callable(task) and not hasattr(task, "prepare"):
        raise ParameterError(f"study: task = {task!r}; must be one of flexblocks.tasks or a function of a case.")
    parcel = Parcel(task, cases.names)
    parcel.function()  # an arm that cannot be assembled is refused here, and once
    if not pool.shares_memory:
        parcel.content()
    label = getattr(task, "label", None) or getattr(task, "__name__", type(task).__name__)
    with Journals(kept, needed=not pool.shares_memory) as journals, Interrupt() as interrupt:
        results = Results(kept, cases, identity(task, cases) if kept.path is not None else {}, retry)
        with ProgressDisplay(f"Study of {label}", len(cases), progress) as bar:
            run = _Run(parcel, cases, pool, journals, results, interrupt, bar)
            try:
                run.recover()
                failure = run.work()
            finally:
                try:
                    results.write(at_once=True)
                finally:
                    pool.close()
                    parcel.forget()
        dataset = kept.dataset()
    if failure:
        raise StudyError(f"study of {label}: {failure}", dataset)
    _report(label, cases, results, interrupt.asked)
    return dataset


class _Run:
    """One run of a study: from the cases that are missing to their results."""

    def __init__(
        self,
        parcel: Parcel,
        cases: Cases,
        pool: Pool,
        journals: Journals,
        results: Results,
        interrupt: Interrupt,
        bar: ProgressDisplay,
    ) -> None:
        self._parcel, self._cases, self._pool = parcel, cases, pool
        self._journals, self._results, self._interrupt, self._bar = journals, results, interrupt, bar
        self._hand: dict[Future[Any], tuple[list[int], Path | None]] = {}
        self._began = time.monotonic()
        self._failure = ""

    def recover(self) -> None:
        """Take over what an earlier run has finished and not written."""
        for path, left in self._journals.left(self._say):
            for index, result in left:
                self._results.put(index, result)
            self._results.after_writing(path.unlink)
            self._interrupt.obey()
        self._before = self._results.done

    def work(self) -> str:
        """Do what is missing; return why it ended early, or an empty text."""
        missing = self._results.still_missing()
        self._queue = Queue(missing, self._pool.workers)
        if not len(missing):
            return ""
        self._shared = self._pool.share(self._parcel)
        try:
            for future in completed(self._pool, self._submit, self._interrupt, self._write):
                self._take(future)
        except KeyboardInterrupt:
            self._interrupt.asked = True
            self._pool.abandon()
        return self._failure

    def _submit(self) -> Future[Any] | None:
        numbers = [] if self._failure else self._queue.batch(len(self._hand))
        if not numbers:
            return None
        path = self._journals.new()
        stop = (lambda: self._interrupt.asked) if self._pool.shares_memory else None
        batch = [(index, self._cases[index]) for index in numbers]
        future = self._pool.submit(run_batch, self._shared, batch, path, stop)
        self._hand[future] = numbers, path
        return future

    def _take(self, future: Future[Any]) -> None:
        if future not in self._hand:
            return  # its workers died, and its cases are done elsewhere
        numbers, path = self._hand.pop(future)
        error = future.exception()
        if error is None:
            for index, result in future.result():
                self._queue.took(result.seconds)
                self._results.put(index, result)
            self._forget(path)
        elif has_died(error):
            self._bury(numbers, path)
        elif not self._failure:
            self._failure = f"the workers could not begin: {type(error).__name__}: {error}"
        self._say()

    def _bury(self, numbers: list[int], path: Path | None) -> None:
        """Take account of a worker that died: what it had finished is in the journal."""
        lost = [(numbers, path)]
        if self._pool.can_renew:
            # With one process all others of the pool are gone.
            lost += self._hand.values()
            self._hand.clear()
            self._pool.renew()
        alone = len(lost) == 1 and len(numbers) == 1
        for cases, noted in lost:
            left, begun = {}, cases
            if noted is not None and noted.exists():
                while journal.is_written(noted):
                    time.sleep(0.01)  # the pool ends its other processes
                left, begun = dict(journal.outcomes(noted)), journal.begun(noted)
            for index, result in left.items():
                self._results.put(index, result)
            rest = [index for index in cases if index not in left]
            if alone and rest in (begun, cases):
                self._results.put(rest[0], Outcome(None, error=DIED)) if rest else None
            elif self._pool.can_renew:
                self._queue.put_back(rest, [index for index in begun if index in rest])
            else:
                self._failure = "a worker died, and with it the executor. Call study again with a new one" + (
                    "; what is finished is in the store." if self._journals.kept else ", and with a store."
                )
            self._forget(noted)

    def _forget(self, path: Path | None) -> None:
        if path is not None:
            self._results.after_writing(lambda: _unlink(path))

    def _write(self) -> None:
        self._results.write()

    def _say(self, note: str = "") -> None:
        results, now = self._results, time.monotonic()
        done, rate = results.done - getattr(self, "_before", results.done), 0.0
        if now > self._began:
            rate = done / (now - self._began)
        texts = [f"{results.done} of {len(self._cases)} cases"]
        texts += [f"{results.failed} failed"] if results.failed else []
        if rate:
            left = (len(self._cases) - results.done) / rate
            texts += [f"{rate:.3g} a second", f"{_duration(left)} left"]
        total = now - self._began + ((len(self._cases) - results.done) / rate if rate else 0.0)
        self._bar.update(", ".join([*texts, note] if note else texts), results.done, total if rate else None)


def _unlink(path: Path) -> None:
    with suppress(FileNotFoundError):  # the worker is on another machine, and has written none
        path.unlink()


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def _report(label: str, cases: Cases, results: Results, interrupted: bool) -> None:
    if interrupted:
        warn(
            f"study of {label} was interrupted; {results.done} of {len(cases)} cases are finished. With the same store "
            "it goes on."
        )
    if results.failed:
        texts = [results.describe(cases, results.errors)] if results.errors else []
        if results.failed > len(results.errors):
            texts.append(f"{results.failed - len(results.errors)} {'more' if texts else 'in earlier runs'}")
        warn(
            f"study of {label}: {results.failed} of {len(cases)} cases failed, see the variable error: "
            f"{'; and '.join(texts)}."
        )
    if results.warned:
        kinds = {text.partition(":")[0] for text in results.warned.values()}
        category = getattr(errors, kinds.pop(), FlexblocksWarning) if len(kinds) == 1 else FlexblocksWarning
        warn(f"study of {label}: see the variable warning: {results.describe(cases, results.warned)}", category)
