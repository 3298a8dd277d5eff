"""Course: a target that moves on a known way, to be met at the end of a motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.interfaces.frame import rotation

from ..errors import ProblemError
from .pose import Pose
from .time_functions import OF_TIME, entries_in_time, value_in_time, vector_in_time

EXPECTED = f"three of: {OF_TIME}, or None for an open one"
ANGLES = f"roll, pitch and yaw [rad], or a rotation matrix (3, 3), each entry {OF_TIME}"
AXES = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))  # of yaw, pitch and roll


@dataclass(frozen=True)
class Course:
    """A moving target that a frame meets, as ``goal={"payload": optim.Course(("0.8 - 0.2*time", 0.4, None))}``.

    Each part is optional. Its entries are numbers, texts in ``time``, or functions of the time by the operators and
    functions of CasADi. The time [s] counts from the beginning of the phase.

    Parameters
    ----------
    position : (3,), optional
        Where the origin of the frame has to be in the world [m] at the end of the motion; None leaves an entry open.
    orientation : (3,) or (3, 3), optional
        Roll, pitch and yaw [rad], R = Rz(yaw) Ry(pitch) Rx(roll), or the rotation matrix, whose columns are the axes of
        the frame in the world. No orientation is singular.
    angular_velocity : (3,), optional
        In the axes of the frame [rad/s], None leaves an entry open; by default that of the orientation, if that is
        prescribed and matched.
    matched : bool
        Whether the frame has to move with the target there, at its velocity and angular velocity. Otherwise the arm
        comes to rest where the target passes.

    Notes
    -----
    With a free duration the meeting point is optimised with the motion. At the end the arm moves through its static
    posture: deflections have their static values, and change with the motion of the joints.
    """

    position: Sequence[Any] | None = None
    orientation: Any = None
    angular_velocity: Sequence[Any] | None = None
    _: KW_ONLY
    matched: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.matched, bool):
            raise ProblemError(f"Course: matched = {self.matched!r}; must be True or False.")
        for name in ("position", "angular_velocity"):
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, entries_in_time(f"Course: {name}", value, EXPECTED))
                if all(one is None for one in getattr(self, name)):
                    raise ProblemError(f"Course: {name}: every entry is open; prescribe one.")
        if self.orientation is not None:
            object.__setattr__(self, "orientation", _orientation(self.orientation))
        if self.position is None and self.orientation is None:
            raise ProblemError("Course: nothing is prescribed; give position or orientation.")
        if self.angular_velocity is not None and not self.matched:
            raise ProblemError("Course: angular_velocity, and matched=False: the arm comes to rest. Leave one out.")
        self.conditions("target", 0.0)

    @property
    def turns_along(self) -> bool:
        """Whether the frame has to have the angular velocity of the orientation."""
        return self.matched and self.orientation is not None and self.angular_velocity is None

    def conditions(self, frame: str, time: float) -> dict[str, float]:
        """Return the values by name that a frame has when it meets the target at this time [s].

        Raises
        ------
        ProblemError
            The course is not finite there, or its orientation no rotation.
        """
        parts = [part.full() for part in self.function(time)]
        if not all(np.isfinite(part).all() for part in parts):
            what = {name: value for name in ("position", "orientation", "angular_velocity")
                    if (value := getattr(self, name)) is not None}  # fmt: skip
            told = ", ".join(f"{name} = {value}" for name, value in what.items())
            raise ProblemError(f"Course: {told}; is not finite at {time:g} s.")
        place, speed, R, spin = (part.tolist() for part in parts)
        values = {}
        for axis, one, (at,), (rate,) in zip("xyz", self.position or (None,) * 3, place, speed, strict=True):
            if one is None:
                continue
            values[f"{frame}.{axis}"] = at
            if self.matched:
                values[f"{frame}.velocity_{axis}"] = rate
        if self.orientation is not None:
            try:
                values |= Pose(orientation=R).conditions(frame)
            except ProblemError as error:
                raise ProblemError(f"Course: at {time:g} s: {str(error).removeprefix('Pose: ')}") from None
        if self.angular_velocity is not None or self.turns_along:
            told = self.angular_velocity or (0.0,) * 3
            values |= {
                f"{frame}.angular_velocity_{axis}": rate
                for axis, one, (rate,) in zip("xyz", told, spin, strict=True)
                if one is not None
            }
        return values

    @cached_property
    def function(self) -> ca.Function:
        """The motion of the target: time [s] -> position [m], velocity [m/s], attitude (3, 3), angular velocity.

        Zero where they are open, and no turn; angular velocity in the axes of the frame [rad/s].
        """
        time = ca.SX.sym("time")
        place = vector_in_time(self.position or (None,) * 3, time, "Course")
        R = ca.SX.eye(3) if self.orientation is None else _attitude(self.orientation, time)
        turning = R.T @ ca.reshape(ca.jacobian(ca.vec(R), time), 3, 3)
        spin = ca.vertcat(turning[2, 1] - turning[1, 2], turning[0, 2] - turning[2, 0], turning[1, 0] - turning[0, 1])
        spin = spin / 2 if self.angular_velocity is None else vector_in_time(self.angular_velocity, time, "Course")
        parts = [place, ca.jacobian(place, time), R, spin]
        return ca.Function("course", [time], [ca.densify(part) for part in parts])


def _orientation(value: Any) -> tuple[Any, ...]:
    """Return roll, pitch and yaw, or the rows of a matrix, checked."""
    rows = list(value) if isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str) else []
    where = "Course: orientation"
    if len(rows) == 3 and all(isinstance(row, (tuple, list, np.ndarray)) for row in rows):
        return tuple(entries_in_time(where, row, ANGLES, is_open=False) for row in rows)
    return entries_in_time(where, value, ANGLES, is_open=False)


def _attitude(orientation: Sequence[Any], time: ca.SX) -> ca.SX:
    """Return the rotation matrix (3, 3) in the time."""
    if isinstance(orientation[0], tuple):
        return ca.vertcat(*[vector_in_time(row, time, "Course").T for row in orientation])
    R = ca.SX.eye(3)
    for axis, angle in zip(AXES, reversed(orientation), strict=True):
        R = R @ rotation(axis, value_in_time(angle, time, "Course"))
    return R
