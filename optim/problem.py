"""What is asked of a plan."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import ProblemError
from .objective import Effort, objective_named

Limit = float | tuple[float | None, float | None]


@dataclass(frozen=True)
class RestToRest:
    """Move an arm from rest to rest.

    Parameters
    ----------
    start, goal : dict of float
        Coordinates by name, as ``{"joint1.angle": 0.0}``. The coordinates that are not named follow from static
        equilibrium, with the inputs that hold it; all rates are zero.
    duration : float
        [s]
    objective : "effort" or Effort
        ``"effort"`` is ``Effort(rate_weight=0.01)``.
    limits : dict
        By name of an input (``"motor1.torque"``), of an input's rate (``"der(motor1.torque)"``) or of a state
        (``"joint1.angle"``, ``"der(joint1.angle)"``): a number for both ways, or (low, high) with None for no limit.
        The `limit` of sources in the model holds as well.
    input_ends : "free" or "holding"
        Whether continuous inputs begin and end anywhere within their limits, or at what holds the arm at rest.

    Attributes
    ----------
    ranges : dict
        The limits as (low, high), infinite where there is none.

    Notes
    -----
    Before the start and after the end the arm rests under its holding inputs (zero without gravity and springs to
    ground). By default only the states are bound there, and the inputs jump from and to the holding values. A jump
    shakes every mode that it acts on, those included that the mesh does not resolve. Where a rotor rides on a flexible
    link (its `frame_a` connected) such plans do not converge under refinement: take ``input_ends="holding"``, which
    makes the inputs continuous at the ends too and costs more effort. Piecewise constant inputs always jump.
    """

    start: Mapping[str, float]
    goal: Mapping[str, float]
    duration: float
    objective: Effort | str = "effort"
    limits: Mapping[str, Limit] = field(default_factory=dict)
    input_ends: str = "free"
    ranges: Mapping[str, tuple[float, float]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("start", "goal"):
            object.__setattr__(self, name, _numbers(name, getattr(self, name)))
        if self.duration == "free":
            raise ProblemError('RestToRest: duration = "free" is not supported yet; give a time in seconds.')
        duration = _number("RestToRest: duration", self.duration, "a finite time > 0 s")
        if duration <= 0:
            raise ProblemError(f"RestToRest: duration = {duration:g} s; must be > 0 s.")
        object.__setattr__(self, "duration", duration)
        if self.input_ends not in ("free", "holding"):
            raise ProblemError(f'RestToRest: input_ends = {self.input_ends!r}; must be "free" or "holding".')
        object.__setattr__(self, "objective", objective_named(self.objective))
        object.__setattr__(self, "limits", dict(_mapping("limits", self.limits)))
        object.__setattr__(self, "ranges", {name: _range(name, limit) for name, limit in self.limits.items()})


def _mapping(name: str, given: Any) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise ProblemError(f"RestToRest: {name} = {given!r}; must be a dict by name.")
    return given


def _numbers(where: str, given: Any) -> dict[str, float]:
    if not _mapping(where, given):
        raise ProblemError(f'RestToRest: {where} is empty; name coordinates, as in {{"joint1.angle": 0.0}}.')
    return {name: _number(f"RestToRest: {where}: {name}", value, "a finite number") for name, value in given.items()}


def _number(where: str, value: Any, expected: str) -> float:
    if isinstance(value, (str, bool)):
        raise ProblemError(f"{where} = {value!r}; must be {expected}.")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ProblemError(f"{where} = {value!r}; must be {expected}.") from None
    if not math.isfinite(number):
        raise ProblemError(f"{where} = {number}; must be {expected}.")
    return number


def _range(name: str, limit: Any) -> tuple[float, float]:
    """Return (low, high), infinite where there is no limit."""
    where, expected = f"RestToRest: limits: {name}", "a number > 0 for both ways, or (low, high)"
    if not isinstance(limit, (tuple, list)):
        high = _number(where, limit, expected)
        low = -high
    elif len(limit) != 2:
        raise ProblemError(f"{where} = {limit!r}; must be {expected}.")
    else:
        low = -math.inf if limit[0] is None else _number(where, limit[0], expected)
        high = math.inf if limit[1] is None else _number(where, limit[1], expected)
    if not low < high:
        raise ProblemError(f"{where} = {limit!r}; must be {expected} with low < high.")
    return low, high
