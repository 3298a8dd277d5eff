"""Schedule of a study: which cases go to the workers next, how many at once, and what is done when a worker dies."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from typing import Any

import numpy as np

from flexblocks.interrupt import Interrupt
from flexblocks.studies.pools import Pool

AT_ONCE = 2  # batches for each worker: one in hand, and one that waits, so that no worker idles
LOOK = 0.25  # s between looks at Ctrl-C and at what is to be written


def completed(
    pool: Pool,
    submit: Callable[[], Future[Any] | None],
    interrupt: Interrupt,
    idle: Callable[[], object] = lambda: None,
) -> Iterator[Future[Any]]:
    """Yield futures as they complete, with a bounded number of them in hand.

    Parameters
    ----------
    pool : Pool
    submit : callable
        Submits the next work and returns its future; None if there is none now.
    interrupt : Interrupt
        After Ctrl-C nothing more is submitted.
    idle : callable
        Called a few times a second, and after each yield.
    """
    hand: set[Future[Any]] = set()
    while True:
        most = 1 if pool.is_serial else AT_ONCE * pool.workers
        while len(hand) < most and not interrupt.asked and (future := submit()) is not None:
            hand.add(future)
        if not hand:
            return
        done, hand = wait(hand, timeout=LOOK, return_when=FIRST_COMPLETED)
        yield from done
        idle()


def has_died(error: BaseException | None) -> bool:
    """Whether an error of a future means that its worker died: of the executor's pool, or of Dask's."""
    return isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker"


class Queue:
    """Cases that are still to be done.

    Batches grow until one takes `SECONDS`, and shrink again at the end, so that all workers end at one time. Cases
    that were begun when a worker died are kept for the end, where each is alone with the workers.
    """

    SECONDS = 0.5
    LARGEST = 1000

    def __init__(self, missing: np.ndarray, pool: Pool) -> None:
        self._missing, self._next, self._pool = missing, 0, pool
        self._again: deque[int] = deque()
        self._suspects: deque[int] = deque()
        self._seconds, self._count = 0.0, 0

    def __len__(self) -> int:
        return len(self._missing) - self._next + len(self._again) + len(self._suspects)

    def batch(self, in_hand: int) -> list[int]:
        """Return the numbers of the next cases; none while a suspect has to wait for, or is, what is in hand."""
        if self._again:
            return [self._again.popleft() for _ in range(min(self._size(), len(self._again)))]
        if self._next < len(self._missing):
            first, self._next = self._next, min(self._next + self._size(), len(self._missing))
            return self._missing[first : self._next].tolist()
        return [self._suspects.popleft()] if self._suspects and not in_hand else []

    def took(self, seconds: float) -> None:
        """Take account of the time that a case took [s]."""
        # Older ones count less and less: what cases cost may change over a study.
        self._seconds, self._count = 0.98 * self._seconds + seconds, self._count + 1

    def put_back(self, cases: Sequence[int], suspects: Sequence[int]) -> None:
        """Take back cases of a worker that died, and those that it had begun."""
        self._suspects.extend(suspects)
        self._again.extend(case for case in cases if case not in suspects)

    def _size(self) -> int:
        if not self._count:
            return 1
        weight = (1 - 0.98**self._count) / 0.02
        fair = len(self) // (2 * AT_ONCE * self._pool.workers)
        return max(1, min(int(self.SECONDS / max(self._seconds / weight, 1e-6)), fair, self.LARGEST))
