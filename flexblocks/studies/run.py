"""One run of a study: from the cases that are missing to their results, even if workers die."""

from __future__ import annotations

import time
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

from flexblocks.interrupt import Interrupt, answered
from flexblocks.progress import ProgressDisplay
from flexblocks.studies import journal
from flexblocks.studies.cases import Cases
from flexblocks.studies.journals import Journals
from flexblocks.studies.outcome import Outcome
from flexblocks.studies.pools import Pool
from flexblocks.studies.results import Results
from flexblocks.studies.schedule import Queue, completed, has_died
from flexblocks.studies.stores.store import StoreError
from flexblocks.studies.worker import Parcel, run_batch

STILLBORN = (
    "its processes end before they begin a case. In a script, whatever starts a study with processes must stand under "
    "if __name__ == '__main__':, because each process imports the script."
)
DIED = "The process that worked on this case died, alone with it: it was killed, or ran out of memory."


class Run:
    """One run of a study."""

    def __init__(
        self,
        parcel: Parcel,
        cases: Cases,
        pool: Pool,
        journals: Journals,
        results: Results,
        interrupt: Interrupt,
        bar: ProgressDisplay,
        until_failure: bool = False,
    ) -> None:
        self._parcel, self._cases, self._pool = parcel, cases, pool
        self._journals, self._results, self._interrupt, self._bar = journals, results, interrupt, bar
        self._hand: dict[Future[Any], tuple[list[int], Path | None]] = {}
        self._until_failure, self._stillborn = until_failure, 0
        self._began = time.monotonic()
        self._before = results.done
        self._failure, self._notes = "", True

    def recover(self) -> None:
        """Take over what an earlier run has finished and not written."""
        for path, left in self._journals.left(self._say):
            for index, result in left:
                if not 0 <= index < len(self._cases):
                    raise StoreError(f"{path}: holds a case {index}, of {len(self._cases)}; remove the journal.")
                self._results.put(index, result)
            self._results.after_writing(path.unlink)
            self._interrupt.obey()
        self._before = self._results.done

    def work(self) -> str:
        """Do what is missing; return why it ended early, or an empty text."""
        missing = self._results.still_missing()
        self._queue = Queue(missing, self._pool)
        if not len(missing):
            return ""
        self._shared = self._pool.share(self._parcel)
        try:
            for future in completed(self._pool, self._submit, self._interrupt, self._write):
                self._take(future)
        except KeyboardInterrupt:
            self._interrupt.ask()
            answered()
            self._pool.abandon()
        return self._failure

    def _submit(self) -> Future[Any] | None:
        is_over = self._failure or (self._until_failure and self._results.failed)
        numbers = [] if is_over else self._queue.batch(len(self._hand))
        if not numbers:
            return None
        path = self._journals.new() if self._notes else None
        stop = (lambda: self._interrupt.asked) if self._pool.shares_memory else None
        batch = [(index, self._cases[index]) for index in numbers]
        try:
            future = self._pool.submit(run_batch, self._shared, batch, path, stop)
        except Exception as error:  # whatever an executor raises that takes no more: it has been shut down, or lost
            self._queue.put_back(numbers, [])
            if has_died(error) and self._pool.can_renew:  # a worker has just died
                if self._hand:
                    return None  # with what is in hand, which comes back as lost
                self._pool.renew()
                return self._submit()
            self._failure = (
                self._failure or f"{type(error).__name__}: {error}: {self._gone('the executor takes no more')}"
            )
            return None
        self._hand[future] = numbers, path
        return future

    def _take(self, future: Future[Any]) -> None:
        if future not in self._hand:
            return  # its workers died, and its cases are done elsewhere
        numbers, path = self._hand.pop(future)
        if future.cancelled():
            self._failure = self._failure or self._gone("the executor, or the scheduler of the cluster, is gone")
            return
        error = future.exception()
        if error is None:
            self._stillborn = 0
            outcomes = dict(future.result())
            for index, result in outcomes.items():
                self._queue.took(result.seconds)
                self._results.put(index, result)
            self._forget(path)
            if len(outcomes) < len(numbers) and not self._interrupt.asked:
                self._results.write(at_once=True)  # refused if the disk is full
                self._queue.put_back([index for index in numbers if index not in outcomes], [])
                self._notes = False  # that disk takes the results, and no journals
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
        if self._pool.can_renew:  # others may write their journals on another machine
            has_begun = any(noted is not None and noted.exists() for _, noted in lost)
            self._stillborn = 0 if has_begun else self._stillborn + 1
        for cases, noted in lost:
            left, begun = {}, cases
            if noted is not None and noted.exists():
                while journal.is_written(noted):
                    time.sleep(0.01)  # the pool ends its other processes
                left, begun = dict(journal.outcomes(noted)), journal.begun(noted)
            for index, result in left.items():
                self._results.put(index, result)
            rest = [index for index in cases if index not in left]
            if alone and rest and not self._stillborn:
                self._results.put(rest[0], Outcome(None, error=DIED))
            elif self._stillborn > 1:
                self._failure = STILLBORN
            elif self._pool.can_renew:
                self._queue.put_back(rest, [index for index in begun if index in rest])
            else:
                self._failure = self._gone("a worker died, and with it the executor")
            self._forget(noted)

    def _gone(self, what: str) -> str:
        kept = "; what is finished is in the store." if self._journals.kept else ", and with a store."
        return f"{what}. Call study again with a new one{kept}"

    def _forget(self, path: Path | None) -> None:
        if path is not None:
            self._results.after_writing(lambda: _unlink(path))

    def _write(self) -> None:
        self._results.write()

    def _say(self, note: str = "") -> None:
        results, now = self._results, time.monotonic()
        done, rate = results.done - self._before, 0.0
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
