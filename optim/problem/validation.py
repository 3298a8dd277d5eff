"""Validation of user input: numbers by name, durations, limits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from flexblocks.argument_types import short
from flexblocks.plausibility import computable, needed

from ..errors import ProblemError
from .pose import Pose

Limit = float | tuple[float | None, float | None]
Duration = float | tuple[float, float] | str


def mapping(where: str, value: Any) -> dict[str, Any]:
    """Return a dict by name.

    Raises
    ------
    ProblemError
        It is not a mapping, or a name is no string.
    """
    if not isinstance(value, Mapping):
        raise ProblemError(f"{where} = {value!r}; must be a dict by name.")
    for name in value:
        if not isinstance(name, str):
            raise ProblemError(f"{where}: a name is {name!r} ({type(name).__name__}); must be a string.")
    return dict(value)


def numbers(where: str, values: Any) -> dict[str, float]:
    """Return finite numbers by name."""
    return {
        name: number(f"{where}: {name}", value, "a finite number") for name, value in mapping(where, values).items()
    }


def boundary_values(where: str, values: Any) -> dict[str, float]:
    """Return the finite numbers by name that a start or goal prescribes, at least one; poses as their conditions.

    Raises
    ------
    ProblemError
        A value is neither a number nor a pose; nothing is prescribed, or something twice.
    """
    checked: dict[str, float] = {}
    for name, value in mapping(where, values).items():
        if isinstance(value, Pose):
            conditions = value.conditions(str(name))
        else:
            conditions = {name: number(f"{where}: {name}", value, "a finite number, or an optim.Pose")}
        if twice := [known for known in conditions if known in checked]:
            raise ProblemError(f"{where}: {twice[0]} twice, by a pose and by itself; give it once.")
        checked |= conditions
    if not checked:
        raise ProblemError(f'{where} is empty; name coordinates, as in {{"joint1.angle": 0.0}}.')
    return checked


def number(where: str, value: Any, expected: str) -> float:
    """Return a finite number.

    Raises
    ------
    ProblemError
        It is not; the message says what is `expected`.
    """
    if isinstance(value, (str, bool)):
        raise ProblemError(f"{where} = {value!r}; must be {expected}.")
    try:
        checked = float(value)
    except OverflowError:
        checked = math.inf
    except (TypeError, ValueError, RuntimeError):  # RuntimeError: a symbol of CasADi
        raise ProblemError(f"{where} = {value!r}; must be {expected}.") from None
    if not computable(checked):
        raise ProblemError(f"{where} = {short(value)}; must be {needed(checked, expected)}.")
    return checked


def is_empty(value: Any) -> bool:
    """Whether a value is an empty tuple, the default of what may be one or several."""
    return isinstance(value, tuple) and not value


def word(where: str, value: Any, *words: str) -> None:
    """Refuse a value that is not one of a few words."""
    if not isinstance(value, str) or value not in words:
        raise ProblemError(f"{where} = {value!r}; must be " + " or ".join(f'"{word}"' for word in words) + ".")


def checked_duration(where: str, value: Any) -> Duration:
    """Return a time > 0 s, a range (low, high) of times, or ``"free"``."""
    where, expected = f"{where}: duration", 'a finite time > 0 s, a range (low, high) or "free"'
    if value is None:
        raise ProblemError(f"{where} is missing; give {expected}.")
    if isinstance(value, str) and value == "free":
        return value
    if isinstance(value, (tuple, list)):
        if len(value) != 2:
            raise ProblemError(f"{where} = {value!r}; must be {expected}.")
        low, high = (number(where, end, expected) for end in value)
        if not 0 < low < high:
            raise ProblemError(f"{where} = ({low:g}, {high:g}) s; must be a range with 0 < low < high.")
        return low, high
    duration = number(where, value, expected)
    if duration <= 0:
        raise ProblemError(f"{where} = {duration:g} s; must be > 0 s.")
    return duration


# For limits with one value only, which are allowed of inputs, as (0, 0).
STILL = " What has one value only is no motion to be limited: lock it (fb.Fixed, or locked= of fb.assemble)."


def limit_range(where: str, limit: Any) -> tuple[float, float]:
    """Return a limit as (low, high), infinite where there is none; a number applies to both signs.

    (0, 0) is an input that is off.
    """
    expected = "a number > 0 for both signs, or (low, high)"
    if not isinstance(limit, (tuple, list)):
        high = number(where, limit, expected)
        low = -high
    elif len(limit) != 2:
        raise ProblemError(f"{where} = {limit!r}; must be {expected}.")
    else:
        low = -math.inf if limit[0] is None else number(where, limit[0], expected)
        high = math.inf if limit[1] is None else number(where, limit[1], expected)
    if not low < high and (low, high) != (0.0, 0.0):
        hint = STILL if low == high else ""
        raise ProblemError(f"{where} = {limit!r}; must be {expected} with low < high.{hint}")
    return low, high


def limit_ranges(where: str, limits: Any) -> dict[str, tuple[float, float]]:
    """Return limits by name as (low, high)."""
    where = f"{where}: limits"
    return {name: limit_range(f"{where}: {name}", limit) for name, limit in mapping(where, limits).items()}
