"""Pose: position, orientation and velocities of a frame, as a start or goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from flexblocks.argument_types import short
from flexblocks.dynamics.algorithms.frame_motions import TURN
from flexblocks.libraries import scipy
from flexblocks.plausibility import computable, may_be_degrees, needed

from ..errors import ProblemError

# How far a matrix may be from a rotation: the rounding of one that was written with about nine digits.
SLACK = 1e-8


@dataclass(frozen=True)
class Pose:
    """Pose and motion of a frame, as ``goal={"payload": optim.Pose(position=(1, 0, 2))}``; each part is optional.

    Parameters
    ----------
    position : (3,), optional
        Origin of the frame in the world [m]; an entry may be None, to leave it open.
    orientation : (3,) or (3, 3), optional
        Roll, pitch and yaw [rad], R = Rz(yaw) Ry(pitch) Rx(roll), or the rotation matrix, whose columns are the frame's
        axes in the world. No orientation is singular.
    velocity : (3,), optional
        Of the origin, in world axes [m/s]; entries may be None.
    angular_velocity : (3,), optional
        In the axes of the frame [rad/s]; entries may be None.

    Notes
    -----
    A pose stands for conditions by name (see `flexblocks.DAE.with_outputs`): ``payload.x``, ``payload.velocity_x``,
    ``payload.angular_velocity_x`` and so on, and for an orientation ``payload.turn(a, b, c).x``, ``.y``, ``.z`` = 0,
    the turn away from the attitude with the rotation vector (a, b, c). Without velocities the arm is at rest; else it
    moves with the least kinetic energy that has them.
    """

    position: Sequence[float | None] | None = None
    orientation: Any = None
    velocity: Sequence[float | None] | None = None
    angular_velocity: Sequence[float | None] | None = None

    def __post_init__(self) -> None:
        for name in ("position", "velocity", "angular_velocity"):
            value = getattr(self, name)
            object.__setattr__(self, name, None if value is None else _vector(name, value))
        if self.orientation is not None:
            object.__setattr__(self, "orientation", _orientation(self.orientation))
        parts = (self.position, self.orientation, self.velocity, self.angular_velocity)
        if not any(part is not None and any(entry is not None for entry in part) for part in parts):
            raise ProblemError("Pose: nothing is prescribed; give position, orientation, velocity or angular_velocity.")

    @property
    def rotation_vector(self) -> tuple[float, float, float] | None:
        """Axis times angle (3) [rad] of the orientation; None if that is open."""
        if self.orientation is None:
            return None
        if np.ndim(self.orientation) == 2:
            rotation = scipy.spatial.transform.Rotation.from_matrix(np.array(self.orientation))
        else:
            rotation = scipy.spatial.transform.Rotation.from_euler("ZYX", self.orientation[::-1])
        # Adding zero takes the sign off zeros.
        return tuple((rotation.as_rotvec() + 0.0).tolist())

    def conditions(self, frame: str) -> dict[str, float]:
        """Return the values by name that a frame has in this pose."""
        stems = ((self.position, ""), (self.velocity, "velocity_"), (self.angular_velocity, "angular_velocity_"))
        values = {
            f"{frame}.{stem}{axis}": entry
            for part, stem in stems
            if part is not None
            for axis, entry in zip("xyz", part, strict=True)
            if entry is not None
        }
        if self.rotation_vector is not None:
            attitude = ", ".join(map(repr, self.rotation_vector))
            values |= {f"{frame}.turn({attitude}).{axis}": 0.0 for axis in "xyz"}
        return values


def shown(name: str) -> str:
    """Return a name for people: the attitude of a turn with four digits."""
    turn = TURN.fullmatch(name)
    if turn is None:
        return name
    attitude = ", ".join(f"{float(number) + 0.0:.4g}" for number in turn["attitude"].split(","))
    return f"{turn['frame']}.turn({attitude}).{turn['axis']}"


def _vector(name: str, value: Any) -> tuple[float | None, ...]:
    expected = "three finite numbers, or None for an open one"
    if isinstance(value, str) or np.ndim(np.array(value, dtype=object)) != 1 or len(value) != 3:
        raise ProblemError(f"Pose: {name} = {value!r}; must be {expected}.")
    return tuple(None if entry is None else _number(name, entry, expected) for entry in value)


def _number(name: str, value: Any, expected: str) -> float:
    try:
        number = float("nan") if isinstance(value, (str, bool)) else float(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):  # RuntimeError: a symbol of CasADi
        number = float("nan")
    if not computable(number):
        raise ProblemError(f"Pose: {name}: {short(value)}; must be {needed(number, expected)}.")
    return number


def _orientation(value: Any) -> tuple[Any, ...]:
    expected = "roll, pitch and yaw [rad], or a rotation matrix (3, 3)"
    if isinstance(value, str):
        raise ProblemError(f"Pose: orientation = {value!r}; must be {expected}.")
    try:
        array = np.array(value, dtype=float)
    except (OverflowError, TypeError, ValueError):
        array = np.zeros(0)
    if array.shape not in ((3,), (3, 3)) or not computable(array):
        raise ProblemError(f"Pose: orientation = {value!r}; must be {expected}.")
    if array.ndim == 1 and may_be_degrees(np.abs(array).max(), array.tolist()):
        raise ProblemError(
            f"Pose: orientation = {value!r} rad; must be {expected}. If it is in degrees, use "
            f"{tuple(np.radians(array).round(4).tolist())}."
        )
    if array.ndim == 1:
        return (float(array[0]), float(array[1]), float(array[2]))
    if np.abs(array.T @ array - np.eye(3)).max() > SLACK or np.linalg.det(array) < 0:
        raise ProblemError(
            f"Pose: orientation = {value!r}; is no rotation matrix: its columns must be orthogonal unit vectors, "
            "right-handed."
        )
    return tuple(tuple(row) for row in cast("list[list[float]]", array.tolist()))
