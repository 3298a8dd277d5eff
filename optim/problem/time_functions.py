"""Functions of the time: numbers, texts in ``time`` and Python functions as CasADi expressions of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.argument_types import short
from flexblocks.errors import failure
from flexblocks.plausibility import computable, needed

from ..errors import ProblemError
from .signals.expression import IN_SYMBOLS, checked_expression

OF_TIME = 'a number, a text in time as "0.5 + 0.1*time", a function of the time'


def entries_in_time(where: str, values: Any, expected: str, is_open: bool = True) -> tuple[Any, ...]:
    """Return three numbers, texts or functions of the time, checked; None for an open entry.

    Parameters
    ----------
    where : str
        For messages, as ``"Course: position"``.
    values : (3,)
    expected : str
        What they must be, in words.
    is_open : bool
        Whether entries may be None.

    Raises
    ------
    ProblemError
        They are not three of these.
    """
    if isinstance(values, str) or not isinstance(values, (Sequence, np.ndarray)) or len(values) != 3:
        raise ProblemError(f"{where} = {values!r}; must be {expected}.")
    return tuple(_entry(where, value, expected, is_open) for value in values)


def value_in_time(entry: float | str | Callable[[ca.SX], Any], time: ca.SX, where: str) -> ca.SX:
    """Return a number, a text or a function of the time as an expression (1, 1) of it.

    Raises
    ------
    ProblemError
        A text with other names than time; a function that takes no CasADi symbol, or returns more than one number.
    """
    if isinstance(entry, str):
        try:
            return ca.SX(checked_expression(where, entry).function({"time": time}))  # type: ignore[arg-type]
        except KeyError as error:
            raise ProblemError(f"{where}: '{entry}': {error}; only time is known here.") from None
    try:
        value = ca.SX(entry(time) if callable(entry) else entry)
    except Exception as error:  # the user's own function may raise anything
        raise ProblemError(
            f"{where}: a function of the time fails on a CasADi symbol: {failure(error)}; {IN_SYMBOLS}."
        ) from error
    if value.shape != (1, 1):
        raise ProblemError(f"{where}: a function gives {value.shape[0]} x {value.shape[1]} numbers; must be one.")
    return value


def vector_in_time(entries: Sequence[Any], time: ca.SX, where: str) -> ca.SX:
    """Return entries as an expression (3, 1) of the time, zero where they are open."""
    return ca.vertcat(*[ca.SX(0) if one is None else value_in_time(one, time, where) for one in entries])


def _entry(where: str, value: Any, expected: str, is_open: bool) -> Any:
    if (value is None and is_open) or callable(value):
        return value
    if isinstance(value, str):
        checked_expression(where.partition(":")[0], value)
        return value
    try:
        number = float("nan") if isinstance(value, bool) or value is None else float(value)
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if not computable(number):
        raise ProblemError(f"{where}: {short(value)}; must be {needed(number, expected)}.")
    return number
