"""Moving goals: what courses prescribe at a time, together with the other values of a goal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import ProblemError
from .course import Course
from .validation import Duration, boundary_values


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
    told = boundary_values(where, values) if values else {}
    if twice := [name for name in told if more and (name in met or _turns(name, more))]:
        raise ProblemError(f"{where}: {twice[0]} twice, by a course and by itself; give it once.")
    return boundary_values(where, on_course(told, courses, time)), courses


def on_course(goal: Mapping[str, float], courses: Mapping[str, Course], time: float) -> dict[str, float]:
    """Return the values of a goal by name, with those of the courses at a time [s].

    The name of a turn has the attitude in it from which it is measured: those of other times are left out.
    """
    values = {name: value for name, value in goal.items() if not _turns(name, courses)}
    for frame, course in courses.items():
        values |= course.conditions(frame, time)
    return values


def _turns(name: str, courses: Mapping[str, Course]) -> bool:
    """Whether a name is that of a turn which a course prescribes."""
    frame, turn, _ = name.partition(".turn(")
    return bool(turn) and frame in courses and courses[frame].orientation is not None
