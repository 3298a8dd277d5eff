"""Calls with a time limit, each in a separate process."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any


def within(seconds: float, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of a call, or None if it did not end in time.

    Raises
    ------
    RuntimeError
        The process ended without a result; what went wrong is on the standard error stream.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(sender, function, arguments))
    process.start()
    sender.close()
    try:
        return receiver.recv() if receiver.poll(seconds) else None
    except EOFError:
        raise RuntimeError(f"{function.__name__}{arguments} failed in its process.") from None
    finally:
        process.terminate()
        process.join()


def _send(sender: Connection, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    sender.send(function(*arguments))
