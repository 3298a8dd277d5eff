"""Study: a task for many cases, on whatever computers there are, that continues where it stopped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from flexblocks import errors
from flexblocks.errors import ComputationError, FlexblocksWarning, ParameterError
from flexblocks.interrupt import Interrupt
from flexblocks.libraries import xr
from flexblocks.progress import ProgressDisplay
from flexblocks.studies.cases import Cases, as_cases
from flexblocks.studies.identity import identity
from flexblocks.studies.journals import Journals
from flexblocks.studies.pools import pool_of
from flexblocks.studies.results import Results
from flexblocks.studies.run import Run
from flexblocks.studies.stores.choose_store import store_of
from flexblocks.studies.worker import Parcel
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import CASES_FAILED, CASES_WARNED, INTERRUPTED


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
        done. By default in memory. Nothing in a store or its journals runs code.
    executor : int, concurrent.futures.Executor or dask.distributed.Client, optional
        Who does it: a number of processes of its own, which are replaced if they die; or workers of the user's. By
        default this process. The results are the same to the last digit. Tasks and results travel as pickles, and
        unpickling runs code: take only executors and clusters that you trust.
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
    >>> runs = fb.study(lambda case: case["a"] ** 2, fb.studies.grid({"a": [1.0, 2.0, 3.0]}))
    >>> runs["value"].values.tolist()
    [1.0, 4.0, 9.0]
    """
    finished = done(task, cases, store, executor, progress, retry=retry)
    finished.tell_of_interruption()
    finished.tell_of_cases()
    return finished.dataset


@dataclass(frozen=True)
class Finished:
    """A study after its run, and what is to be reported of it."""

    label: str
    cases: Cases
    results: Results
    interrupted: bool
    dataset: xr.Dataset

    def tell_of_interruption(self) -> None:
        """Warn if Ctrl-C ended it."""
        if self.interrupted:
            warn(
                f"study of {self.label} was interrupted; {self.results.done} of {len(self.cases)} cases are finished. "
                "It continues with the same store.",
                INTERRUPTED,
            )

    def tell_of_cases(self) -> None:
        """Warn of cases that failed, or warned."""
        results, cases = self.results, self.cases
        if results.failed:
            texts = [results.describe(cases, results.errors)] if results.errors else []
            if results.failed > len(results.errors):
                texts.append(f"{results.failed - len(results.errors)} {'more' if texts else 'in earlier runs'}")
            warn(
                f"study of {self.label}: {results.failed} of {len(cases)} cases failed, see the variable error: "
                f"{'; and '.join(texts)}.",
                CASES_FAILED,
            )
        if results.warned:
            kinds = {text.partition(":")[0] for text in results.warned.values()}
            category = getattr(errors, kinds.pop(), FlexblocksWarning) if len(kinds) == 1 else FlexblocksWarning
            warn(
                f"study of {self.label}: see the variable warning: {results.describe(cases, results.warned)}",
                replace(CASES_WARNED, category=category),
            )


def done(
    task: Any,
    cases: Any,
    store: str | Path | None,
    executor: Any,
    progress: bool | None,
    *,
    retry: bool = False,
    until_failure: bool = False,
) -> Finished:
    """Do a study, and leave reporting to the caller; arguments as for `study`.

    With `until_failure` nothing more is begun when a case has failed: for callers to whom one failure is that of all.
    """
    cases, pool, kept = as_cases(cases), pool_of(executor), store_of(store)
    if not callable(task) and not hasattr(task, "prepare"):
        raise ParameterError(f"study: task = {task!r}; must be one of flexblocks.tasks or a function of a case.")
    parcel = Parcel(task, cases.names)
    parcel.function()  # an arm that cannot be assembled is refused here, and once
    if not pool.shares_memory:
        parcel.content()
    label = getattr(task, "label", None) or getattr(task, "__name__", type(task).__name__)
    asked = identity(task, cases) if kept.path is not None else {}
    with Journals(kept, asked, needed=not pool.shares_memory) as journals, Interrupt() as interrupt:
        results = Results(kept, cases, asked, retry)
        with ProgressDisplay(f"Study of {label}", len(cases), progress) as bar:
            run = Run(parcel, cases, pool, journals, results, interrupt, bar, until_failure)
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
    return Finished(label, cases, results, interrupt.asked, dataset)
