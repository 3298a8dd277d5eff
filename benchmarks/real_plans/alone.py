"""A call in a fresh process of its own that ends within hard limits whatever it does."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

GRACE = 5  # s of CPU between the signal that ends the process and the one that nothing can ignore
LAST = 5.0  # s for a process that has answered to end by itself


class NoAnswerError(Exception):
    """A process ended, or was ended, before its call returned; the message says why."""


def alone(function: Callable[..., Any], arguments: tuple[Any, ...], cpu: float, wall: float) -> Any:
    """Return what a function returns, called in a process of its own.

    A limit that Python looks after is not obeyed inside a library that does not return. Here the system looks after
    the CPU time, and the caller after that of the wall, which passes where nothing is computed.

    Parameters
    ----------
    function : callable
        Of a module, as another process has to find it.
    arguments : tuple
    cpu, wall : float
        Limits [s].

    Raises
    ------
    NoAnswerError
        The process did not answer within its limits, or died.
    """
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(there, cpu, function, arguments))
    process.start()
    there.close()
    try:
        if not here.poll(wall):
            raise NoAnswerError(f"no answer within {wall:g} s, of which it may compute {cpu:g} s")
        answer, error = here.recv()
        process.join(LAST)  # which cleans up behind itself
    except EOFError:
        process.join()
        raise NoAnswerError(_why(process.exitcode or 0, cpu)) from None
    finally:
        process.kill()
        process.join()
        here.close()
    if error is not None:
        raise error
    return answer


def _answer(there: Connection, cpu: float, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    # Ctrl-C, which a terminal sends to the whole group, is for those who decide what becomes of the call.
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (max(1, round(cpu)), max(1, round(cpu)) + GRACE))
    threading.Thread(target=_end_with_parent, daemon=True).start()
    answer, failure = None, None
    try:
        answer = function(*arguments)
    except Exception as error:  # whatever it raises is raised in the calling process
        failure = error
    there.send((answer, failure))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None  # it has been started by one
    parent.join()
    os._exit(1)


def _why(code: int, cpu: float) -> str:
    if code == -signal.SIGXCPU:
        return f"no answer within {cpu:g} s of CPU"
    return f"its process died of {signal.Signals(-code).name}" if code < 0 else f"its process ended with code {code}"
