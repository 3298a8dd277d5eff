"""Cases in separate processes, so that one that hangs or crashes Python ends itself alone."""

from __future__ import annotations

import multiprocessing
import os
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from benchmarks.fuzz.outcome import Outcome, Verdict, judged

CONTEXT = multiprocessing.get_context("spawn")
# Threads of linear algebra gain nothing on matrices of twenty rows, and take a tenth of the time of a case by waiting.
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Judged:
    """A case, by kind and seed, its outcome and the time it took [s]."""

    kind: str
    seed: int
    outcome: Outcome
    seconds: float


class _Worker:
    """A process that runs one case after the other."""

    def __init__(self) -> None:
        self.end, other = CONTEXT.Pipe()
        self.process: BaseProcess = CONTEXT.Process(target=_serve, args=(other,), daemon=True)
        self.process.start()
        other.close()
        self.case: tuple[str, int] | None = None
        self.since = 0.0

    def start(self, case: tuple[str, int]) -> None:
        self.case, self.since = case, time.monotonic()
        self.end.send(case)

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.end.close()


def run(cases: Iterator[tuple[str, int]], jobs: int, limit: float) -> Iterator[Judged]:
    """Yield the outcomes of cases (kind, seed) as they end, `jobs` at a time, each within `limit` seconds."""
    os.environ |= dict.fromkeys(ONE_THREAD, "1")
    workers = [_Worker() for _ in range(jobs)]
    try:
        for worker in workers:
            if (case := next(cases, None)) is not None:
                worker.start(case)
        while busy := [worker for worker in workers if worker.case is not None]:
            ready = wait([worker.end for worker in busy], timeout=1.0)
            for worker in busy:
                taken = time.monotonic() - worker.since
                if worker.end in ready:
                    outcome = _received(worker)
                elif taken > limit:
                    outcome = Outcome(Verdict.STUCK, f"not finished within {limit:g} s")
                else:
                    continue
                yield Judged(*worker.case, outcome, taken)
                if outcome.verdict is Verdict.STUCK:
                    worker.stop()
                    workers[workers.index(worker)] = worker = _Worker()
                worker.case = None
                if (case := next(cases, None)) is not None:
                    worker.start(case)
    finally:
        for worker in workers:
            worker.stop()


def _received(worker: _Worker) -> Outcome:
    try:
        return worker.end.recv()
    except EOFError:
        worker.process.join()
        return Outcome(Verdict.STUCK, f"Python ended with exit code {worker.process.exitcode}")


def _serve(end: Connection) -> None:
    from benchmarks.fuzz.register import KINDS

    warnings.simplefilter("ignore")
    # Until the other end is closed, or is gone.
    with suppress(EOFError, OSError):
        while True:
            kind, seed = end.recv()
            end.send(judged(KINDS[kind], seed))
