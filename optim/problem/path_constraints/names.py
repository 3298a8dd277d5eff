"""Names and numbers that path constraints are given."""

from __future__ import annotations

import math
from typing import Any

from ...errors import ProblemError


def names(where: str, value: Any) -> tuple[str, ...]:
    """Return one or several names as a tuple.

    Raises
    ------
    ProblemError
        An element is no name.
    """
    several = (value,) if isinstance(value, str) else value
    if not isinstance(several, (tuple, list)) or not all(isinstance(name, str) and name for name in several):
        raise ProblemError(f'{where} = {value!r}; must be a name or a sequence of names, as "payload".')
    return tuple(several)


def required_names(where: str, value: Any) -> tuple[str, ...]:
    """Return one or several names as a tuple; at least one.

    Raises
    ------
    ProblemError
        There is none, or an element is no name.
    """
    several = names(where, value)
    if not several:
        raise ProblemError(f'{where} is empty; must be a name or a sequence of names, as "payload".')
    return several


def positive(where: str, value: Any, unit: str) -> float:
    """Return a finite number > 0.

    Raises
    ------
    ProblemError
        It is none.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < math.inf:
        raise ProblemError(f"{where} = {value!r}; must be a finite number > 0 [{unit}].")
    return float(value)
