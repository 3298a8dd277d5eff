"""Rollouts: many runs of one schedule, in threads, with the same digits whatever their number."""

from __future__ import annotations

from concurrent.futures import Future

import numpy as np

from flexblocks.interrupt import Interrupt
from flexblocks.simulation.stepping.kernel import Kernel
from flexblocks.simulation.stepping.schedule import Schedule
from flexblocks.studies.pools import threads as pool_of_threads
from flexblocks.studies.schedule import completed

# Of one call of the kernel, between which Ctrl-C is looked for [s].
CALL = 0.2


def rolled_out(
    kernel: Kernel,
    schedule: Schedule,
    X: np.ndarray,
    U: np.ndarray,
    p: np.ndarray,
    kept: int,
    step_time: float,
    workers: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the states that are kept (runs, kept + 1, nx + 1), the last at the end, and the steps taken (runs,).

    What a run did not reach is nan.

    Parameters
    ----------
    kernel : Kernel
    schedule : Schedule
    X : ndarray (runs, nx + 1)
        Start states with work; overwritten.
    U, p : ndarray
        As for `Kernel.take`.
    kept : int
        States that the schedule keeps.
    step_time : float
        What a step takes, roughly [s].
    workers : int
        Threads.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C; nothing is returned of the runs.
    """
    runs, steps = len(X), len(schedule)
    out = np.full((runs, kept + 1, X.shape[1]), np.nan)
    taken = np.zeros(runs, dtype=np.int64)
    most = max(int(CALL / step_time), 1)  # steps of a call
    size = min(max(most // steps, 1), -(-runs // workers))  # runs of a call

    def job(first: int, interrupt: Interrupt) -> None:
        some, done = slice(first, min(first + size, runs)), np.zeros(runs, dtype=np.int64)
        memory = kernel.memory() if size == 1 else None  # several runs of a call take all of their steps in it
        for begin in range(0, steps, max(most // size, 1)):
            if interrupt.asked:
                return
            part = schedule.part(begin, begin + max(most // size, 1))
            alive = taken[some] == begin
            kernel.take(part, X, U, p, out, done, some, memory)
            taken[some] += np.where(alive, done[some], 0)

    pool, firsts = pool_of_threads(workers, "rollout"), iter(range(0, runs, size))
    with Interrupt() as interrupt:

        def submit() -> Future[None] | None:
            first = next(firsts, None)
            return None if first is None else pool.submit(job, first, interrupt)

        try:
            for future in completed(pool, submit, interrupt):
                future.result()
        finally:
            pool.close()
        interrupt.obey()
    _erase_unreached(schedule, out, taken)
    out[taken == steps, -1] = X[taken == steps]
    return out, taken


def _erase_unreached(schedule: Schedule, out: np.ndarray, taken: np.ndarray) -> None:
    """Set to nan what is kept of steps after the one that failed."""
    steps = np.flatnonzero(schedule.kept >= 0)
    for run in np.flatnonzero(taken < len(schedule)):
        out[run, schedule.kept[steps[steps > taken[run]]]] = np.nan
