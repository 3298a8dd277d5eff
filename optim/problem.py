"""What is asked of a plan."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import ProblemError
from .objective import Objective, Time, has_term, objective_named
from .path_constraints import checked_path

Limit = float | tuple[float | None, float | None]
Duration = float | tuple[float, float] | str


@dataclass(frozen=True)
class RestToRest:
    """Move an arm from rest to rest.

    Parameters
    ----------
    start, goal : dict of float
        Coordinates by name, as ``{"joint1.angle": 0.0}``. The coordinates that are not named follow from static
        equilibrium, with the inputs that hold it; all rates are zero.
    duration : float, (float, float) or "free"
        [s]; or the range in which it is free; or ``"free"``, within a wide range about what the arm would take if it
        were rigid.
    objective : "effort", "time", "vibration" or Objective
        ``"effort"`` is ``Effort(rate_weight=0.01)``; weighted sums as ``Time() + 0.1 * Effort()``. Time needs a free
        duration, and ``"free"`` needs time in the objective: the effort falls with the duration for ever.
    limits : dict
        By name of an input (``"motor1.torque"``), of an input's rate (``"der(motor1.torque)"``), of a state
        (``"joint1.angle"``, ``"der(joint1.angle)"``), of an output (``"link1.tip_deflection_y"``, ``"payload.y"``), of
        an acceleration (``"der(der(joint1.angle))"``) or of a place (``"link1.station(0.25).y"``): a number for both
        ways, or (low, high) with None for no limit. The `limit` of sources in the model holds as well.
    path : sequence of KeepOut, KeepIn or Within
        Regions that points of the arm keep out of or stay in, and limits on expressions.
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
    duration: Duration
    objective: Any = "effort"  # an Objective once checked
    limits: Mapping[str, Limit] = field(default_factory=dict)
    path: Any = ()  # a tuple of PathConstraint once checked
    input_ends: str = "free"
    ranges: Mapping[str, tuple[float, float]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("start", "goal"):
            object.__setattr__(self, name, _numbers(name, getattr(self, name)))
        object.__setattr__(self, "duration", _duration(self.duration))
        if self.input_ends not in ("free", "holding"):
            raise ProblemError(f'RestToRest: input_ends = {self.input_ends!r}; must be "free" or "holding".')
        object.__setattr__(self, "objective", objective_named(self.objective))
        _check_time(self.duration, objective_named(self.objective))
        object.__setattr__(self, "limits", dict(_mapping("limits", self.limits)))
        object.__setattr__(self, "path", checked_path(self.path))
        object.__setattr__(self, "ranges", {name: _range(name, limit) for name, limit in self.limits.items()})


def _duration(given: Any) -> Duration:
    where, expected = "RestToRest: duration", 'a finite time > 0 s, a range (low, high) or "free"'
    if isinstance(given, str) and given == "free":
        return given
    if isinstance(given, (tuple, list)):
        if len(given) != 2:
            raise ProblemError(f"{where} = {given!r}; must be {expected}.")
        low, high = (_number(where, end, expected) for end in given)
        if not 0 < low < high:
            raise ProblemError(f"{where} = ({low:g}, {high:g}) s; must be a range with 0 < low < high.")
        return low, high
    duration = _number(where, given, expected)
    if duration <= 0:
        raise ProblemError(f"{where} = {duration:g} s; must be > 0 s.")
    return duration


def _check_time(duration: Duration, objective: Objective) -> None:
    timed = has_term(objective, Time)
    if timed and isinstance(duration, float):
        raise ProblemError(
            f"RestToRest: objective = {objective} with duration = {duration:g} s; a fixed time cannot be minimised. "
            'Give a range (low, high), or "free".'
        )
    if not timed and duration == "free":
        raise ProblemError(
            f'RestToRest: duration = "free" with objective = {objective}; a slower motion always takes less. Add '
            "optim.Time() with a weight, or give a range (low, high)."
        )


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
