"""Course: a target that moves on a known way, to be met at the end of a motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from ..errors import ProblemError
from .signals.expression import checked_expression
from .validation import Duration, boundary_values

EXPECTED = 'three of: a number, a text in time as "0.5 + 0.1*time", a function of the time, or None for an open one'


@dataclass(frozen=True)
class Course:
    """A moving target that a frame meets, as ``goal={"payload": optim.Course(("0.8 - 0.2*time", 0.4, None))}``.

    Parameters
    ----------
    position : (3,)
        Where the origin of the frame has to be in the world [m] at the end of the motion: numbers, texts in ``time``,
        functions of the time, by the operators and functions of CasADi; None leaves an entry open. The time [s] counts
        from the beginning of the phase.
    matched : bool
        Whether the frame has to move with the target there, at its velocity. Otherwise the arm comes to rest where the
        target passes.

    Notes
    -----
    With a free duration the meeting point is optimised with the motion. At the end the arm moves through its static
    posture: deflections have their static values, and change with the motion of the joints.
    """

    position: Sequence[Any]
    matched: bool = True

    def __post_init__(self) -> None:
        entries = self.position
        if isinstance(entries, str) or not isinstance(entries, (Sequence, np.ndarray)) or len(entries) != 3:
            raise ProblemError(f"Course: position = {entries!r}; must be {EXPECTED}.")
        object.__setattr__(self, "position", tuple(_entry(one) for one in entries))
        if all(one is None for one in self.position):
            raise ProblemError("Course: position: every entry is open; prescribe one.")
        if not isinstance(self.matched, bool):
            raise ProblemError(f"Course: matched = {self.matched!r}; must be True or False.")
        self.conditions("target", 0.0)

    def conditions(self, frame: str, time: float) -> dict[str, float]:
        """Return the values by name that a frame has when it meets the target at this time [s].

        Raises
        ------
        ProblemError
            The course is not finite there.
        """
        places, speeds = (part.full().ravel().tolist() for part in self.function(time))
        values = {}
        for axis, one, place, speed in zip("xyz", self.position, places, speeds, strict=True):
            if one is None:
                continue
            values[f"{frame}.{axis}"] = place
            if self.matched:
                values[f"{frame}.velocity_{axis}"] = speed
        if not np.isfinite(list(values.values())).all():
            raise ProblemError(f"Course: position = {self.position}; is not finite at {time:g} s.")
        return values

    @cached_property
    def function(self) -> ca.Function:
        """The function time [s] -> position (3, 1) [m] and velocity (3, 1) [m/s]; zero where it is open."""
        time = ca.SX.sym("time")
        place = ca.vertcat(*[ca.SX(0) if one is None else value_in_time(one, time, "Course") for one in self.position])
        return ca.Function("course", [time], [ca.densify(place), ca.densify(ca.jacobian(place, time))])


def split_courses(where: str, goal: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Course]]:
    """Split a goal into everything else and the courses by frame."""
    if not isinstance(goal, Mapping):
        raise ProblemError(f"{where} = {goal!r}; must be a dict by name.")
    courses = {name: value for name, value in goal.items() if isinstance(value, Course)}
    return {name: value for name, value in goal.items() if name not in courses}, courses


def checked_goal(
    where: str, goal: Mapping[str, Any], courses: Mapping[str, Course], duration: Duration
) -> tuple[dict[str, float], dict[str, Course]]:
    """Return the values of a goal by name, those of the courses at the middle of the duration, and the courses.

    Raises
    ------
    ProblemError
        A value is no number, pose or course; nothing is prescribed, or something twice.
    """
    values, more = split_courses(where, goal)
    courses = dict(courses) | more
    time = 0.0 if isinstance(duration, str) else float(np.mean(duration))
    met = on_course({}, courses, time)
    if twice := [name for name in met if more and name in values]:
        raise ProblemError(f"{where}: {twice[0]} twice, by a course and by itself; give it once.")
    return boundary_values(where, values | met), courses


def on_course(goal: Mapping[str, float], courses: Mapping[str, Course], time: float) -> dict[str, float]:
    """Return the values of a goal by name, with those of the courses at a time [s]."""
    values = dict(goal)
    for frame, course in courses.items():
        values |= course.conditions(frame, time)
    return values


def _entry(value: Any) -> Any:
    if value is None or callable(value):
        return value
    if isinstance(value, str):
        checked_expression("Course", value)
        return value
    try:
        number = float("nan") if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if not np.isfinite(number):
        raise ProblemError(f"Course: position: {value!r}; must be {EXPECTED}.")
    return number


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
    except (TypeError, NotImplementedError) as error:
        raise ProblemError(f"{where}: a function of the time fails on a CasADi symbol: {error}") from error
    if value.shape != (1, 1):
        raise ProblemError(f"{where}: a function gives {value.shape[0]} x {value.shape[1]} numbers; must be one.")
    return value
