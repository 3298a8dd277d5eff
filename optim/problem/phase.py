"""Phase of a motion, with its own goal, duration, limits and parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Literal

from ..errors import ProblemError
from .course import Course
from .moving_goals import checked_goal, on_course
from .path_constraints import checked_path
from .validation import (
    Duration,
    Limit,
    boundary_values,
    checked_duration,
    is_empty,
    limit_ranges,
    mapping,
    number,
    numbers,
    word,
)
from .via import checked_vias


@dataclass(frozen=True)
class Phase:
    """A phase of a motion, which begins where the previous one ends.

    Coordinates and first-order states are continuous across phases; so are rates and inputs unless specified otherwise.

    Parameters
    ----------
    name : str
    goal : dict of float, Pose or Course, optional
        Coordinates, outputs, positions or poses of the equilibrium at the end of the phase, and rates if it ends in
        motion; see `RestToRest`.
    duration : float, (float, float) or "free"
        As for `RestToRest`.
    passing : dict of float, optional
        States in which the arm moves on to the next phase without stopping, instead of `goal`; with neither, the end is
        free.
    p : dict of float
        Values of symbolic parameters during this phase, as ``{"payload.mass": 0.2}``.
    limits : dict
        As for `RestToRest`, during this phase, overriding the problem's of the same name.
    path : sequence of KeepOut, KeepIn or Within
        As for `RestToRest`, during this phase, in addition to the problem's; ``"time"`` is counted from its beginning.
    via : sequence of Via
        As for `RestToRest`, during this phase.
    leeway : float
        Residual energy allowed at the goal [J] under constant inputs: the coordinates of the goal are met, the rest of
        the arm may still vibrate. By default none: all states are those of the equilibrium.
    balance : "own" or "next"
        Whether the equilibrium at the goal is that of this phase's parameters, or of the next phase's: under gravity a
        load that is picked up bends the arm, which can arrive already bent for it.
    input_jump : bool
        Whether continuous inputs may jump when the phase begins.
    pick_up : "matched" or "impact", optional
        What happens when a phase with more inertia than the previous one begins in motion. ``"matched"``: the load
        moves with the gripper when it is picked up, and rates are continuous. ``"impact"``: the load is at rest, and
        momentum is conserved in a plastic impact, M der(q) = M_before der(q)_before, but for impulses of closed loops
        and drives of prescribed coordinates; energy is lost. Not needed at rest, nor for releasing a load, which leaves
        rates continuous.

    courses : dict of Course
        By frame, the courses that `goal` prescribes; put there if they are in `goal`.

    Attributes
    ----------
    ranges : dict
        The limits as (low, high), infinite where there is none.
    """

    name: str
    goal: Mapping[str, float] | None = None
    duration: Any = None  # a Duration once checked
    _: KW_ONLY
    passing: Mapping[str, float] | None = None
    p: Mapping[str, float] = field(default_factory=dict)
    limits: Mapping[str, Limit] = field(default_factory=dict)
    path: Any = ()  # a tuple of PathConstraint once checked
    via: Any = ()  # a tuple of Via once checked
    leeway: float = 0.0
    balance: Literal["own", "next"] = "own"
    input_jump: bool = False
    pick_up: Literal["matched", "impact"] | None = None
    courses: Mapping[str, Course] = field(default_factory=dict)
    ranges: Mapping[str, tuple[float, float]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ProblemError(f"Phase: name = {self.name!r}; must be a word.")
        where = f"Phase '{self.name}'"
        if self.goal is not None and self.passing is not None:
            raise ProblemError(
                f"{where}: both goal and passing are given; a phase ends either at rest or in motion. Give one."
            )
        object.__setattr__(self, "duration", checked_duration(where, self.duration))
        if self.passing is not None:
            object.__setattr__(self, "passing", boundary_values(f"{where}: passing", self.passing))
        if self.goal is not None:
            values, courses = checked_goal(f"{where}: goal", self.goal, self.courses, self.duration)
            object.__setattr__(self, "goal", values)
            object.__setattr__(self, "courses", courses)
        if not is_empty(self.via):
            object.__setattr__(self, "via", checked_vias(f"{where}: via", self.via, self.duration))
        object.__setattr__(self, "p", numbers(f"{where}: p", self.p))
        if not is_empty(self.path):
            object.__setattr__(self, "path", checked_path(f"{where}: path", self.path))
        object.__setattr__(self, "ranges", limit_ranges(where, self.limits))
        object.__setattr__(self, "limits", mapping(f"{where}: limits", self.limits))
        leeway = number(f"{where}: leeway", self.leeway, "a finite energy >= 0 J")
        if leeway < 0:
            raise ProblemError(f"{where}: leeway = {leeway:g} J; must be >= 0 J.")
        object.__setattr__(self, "leeway", leeway)
        word(f"{where}: balance", self.balance, "own", "next")
        if self.pick_up is not None:
            word(f"{where}: pick_up", self.pick_up, "matched", "impact")
        for name, asked in (("balance", self.balance == "next"), ("leeway", leeway > 0)):
            if asked and self.goal is None:
                raise ProblemError(f"{where}: {name} without a goal, so the phase does not end at rest. Leave it out.")

    @property
    def is_timed(self) -> bool:
        """Whether the duration is fixed."""
        return isinstance(self.duration, float)

    def courses_at(self, time: float) -> dict[str, float]:
        """Return the values by name that the courses prescribe if the phase takes this time [s]."""
        return on_course({}, self.courses, time)

    def goal_at(self, time: float) -> dict[str, float]:
        """Return the values of the goal by name if the phase takes this time [s]."""
        goal = dict(self.goal or {})
        return on_course(goal, self.courses, time) if self.courses else goal

    def lasting(self, duration: Duration) -> Phase:
        """Return this phase with another duration."""
        return replace(self, duration=duration)
