"""Pools of workers: one interface to none, threads, processes, and whatever else is a concurrent.futures.Executor."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from flexblocks.errors import ParameterError

ASKED = 5.0  # s between questions how many workers a cluster has


class Pool:
    """Workers that take batches.

    Parameters
    ----------
    executor : Executor or None
        None: the batches are worked off in this thread, when they are submitted.
    workers : int or callable
        Their number; a callable for a cluster, whose workers come and go.
    shares_memory : bool
        Whether workers are threads of this process.
    renew : callable, optional
        Makes another executor when a worker process has died; None if the executor is the user's.
    share : callable, optional
        Takes to all workers what every batch needs, and returns what stands for it in `submit`.
    """

    def __init__(
        self,
        executor: Executor | None,
        workers: int | Callable[[], int],
        shares_memory: bool,
        renew: Callable[[], Executor] | None = None,
        share: Callable[[Any], Any] | None = None,
        owned: bool = False,
    ) -> None:
        self._executor, self._workers, self.shares_memory = executor, workers, shares_memory
        self._counted, self._count = -ASKED, 1
        self._renew, self._owned = renew, owned or renew is not None
        self.share = share or (lambda value: value)

    @property
    def workers(self) -> int:
        """How many workers there are now, one at least."""
        if not callable(self._workers):
            return self._workers
        if time.monotonic() - self._counted > ASKED:
            self._count, self._counted = max(1, self._workers()), time.monotonic()
        return self._count

    @property
    def is_serial(self) -> bool:
        """Whether this thread is the only worker."""
        return self._executor is None

    @property
    def can_renew(self) -> bool:
        """Whether workers that died can be replaced."""
        return self._renew is not None

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Return the future of a call."""
        if self._executor is not None:
            return self._executor.submit(function, *arguments)
        future: Future[Any] = Future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:  # as an executor does it
            future.set_exception(error)
        return future

    def renew(self) -> None:
        """Replace the workers, after one of them has died."""
        assert self._renew is not None
        assert self._executor is not None
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._executor = self._renew()

    def close(self) -> None:
        """Let the workers go, if they are not the user's."""
        if self._owned and self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)

    def abandon(self) -> None:
        """End what is still at work, if the workers are not the user's."""
        if self._owned and isinstance(self._executor, ProcessPoolExecutor):
            for process in list((getattr(self._executor, "_processes", None) or {}).values()):
                process.terminate()


def pool_of(executor: Any, where: str = "study") -> Pool:
    """Return the pool of what a user passes as `executor`.

    Parameters
    ----------
    executor : None, int, Executor or dask.distributed.Client
        None: this process. A number: that many processes of its own.

    Raises
    ------
    ParameterError
        It is something else.
    """
    if executor is None:
        return Pool(None, 1, True)
    if isinstance(executor, (int, float)):
        if isinstance(executor, (bool, float)) or executor < 1:
            raise ParameterError(f"{where}: executor = {executor!r}; a number of processes must be whole and > 0.")
        return _processes(executor)
    if isinstance(executor, Executor):
        count = getattr(executor, "_max_workers", None) or getattr(executor, "num_workers", None) or cores()
        return Pool(executor, int(count), isinstance(executor, ThreadPoolExecutor))
    if hasattr(executor, "get_executor") and hasattr(executor, "scatter"):
        return _dask(executor)
    raise ParameterError(
        f"{where}: executor = {executor!r}; must be None, a number of processes, a concurrent.futures.Executor or a "
        "dask.distributed.Client."
    )


def threads(count: int, name: str) -> Pool:
    """Return a pool of threads of its own; one thread is this one."""
    if count == 1:
        return Pool(None, 1, True)
    return Pool(ThreadPoolExecutor(count, thread_name_prefix=name), count, True, owned=True)


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _processes(count: int) -> Pool:
    # Not forked: CasADi and BLAS have threads, whose locks a fork would copy as they are.
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")

    def renew() -> Executor:
        return ProcessPoolExecutor(count, mp_context=context)

    return Pool(renew(), count, False, renew)


def _dask(client: Any) -> Pool:
    def workers() -> int:
        with suppress(OSError):  # the scheduler does not answer; futures will fail
            return sum(client.nthreads().values())
        return 0

    if not workers():
        raise ParameterError(
            "study: the cluster has no workers yet; start some (`dask worker` and the scheduler's address), and wait "
            "for them: client.wait_for_workers(1)."
        )
    executor = client.get_executor(pure=False)
    return Pool(executor, workers, False, share=lambda value: client.scatter(value, broadcast=True))
