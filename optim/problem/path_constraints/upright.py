"""Orientation kept upright: an axis of a frame stays near a direction of the world."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import casadi as ca
import numpy as np

from flexblocks.plausibility import computable

from ...errors import ProblemError
from ..signals.signals import Signals
from .names import positive, required_names
from .path_constraint import BoundedValue, PathConstraint
from .segments import beyond


@dataclass(frozen=True)
class Upright(PathConstraint):
    """An axis of frames stays within an angle of a direction in the world, as that of a glass that must not spill.

    Parameters
    ----------
    frames : str or sequence of str
        Frames, see `flexblocks.place.place`: ``"payload"``, ``"link3.frame_b"``.
    tilt : float
        The greatest angle between axis and direction [rad], 0 < tilt < pi.
    axis : (3,)
        In the axes of the frame; of any length.
    direction : (3,)
        In the world; of any length.
    name : str, optional
        For messages.

    Notes
    -----
    By the chord between the two directions, c = 2 sin(angle / 2): (C^2 - c^2) / (2 C) >= 0, which is smooth for all
    attitudes, locks at none, and is near the limit the angle that is left.
    """

    may_be_lifted: ClassVar[bool] = False
    frames: Any
    tilt: float = 0.1
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    direction: tuple[float, float, float] = (0.0, 0.0, 1.0)
    name: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "frames", required_names("Upright: frames", self.frames))
        if positive("Upright: tilt", self.tilt, "rad") >= math.pi:
            raise ProblemError(f"Upright: tilt = {self.tilt:g} rad; must be less than pi, which every attitude keeps.")
        for vector in ("axis", "direction"):
            object.__setattr__(self, vector, _unit(f"Upright: {vector}", getattr(self, vector)))

    @property
    def label(self) -> str:
        """The name, or what it is."""
        return self.name or "upright"

    def values(self, label: str, signals: Signals) -> list[BoundedValue]:
        kept, most = [], 2 * math.sin(self.tilt / 2)
        for frame in self.frames:
            R = ca.vertcat(*[ca.horzcat(*[signals[f"{frame}.rotation_{i}{j}"] for j in "xyz"]) for i in "xyz"])
            chord = ca.sumsqr(ca.mtimes(R, ca.DM(self.axis)) - ca.DM(self.direction))
            kept.append(BoundedValue(f"{frame} {label}", -beyond(chord, most), low=0.0, most=most))
        return kept

    def size(self, bounded: BoundedValue) -> float:
        return self.tilt

    def refusal(self, where: str, bounded: BoundedValue, value: float) -> str:
        return f"not {bounded.name}, by about {bounded.beyond(-value):.4g} rad. Turn the {where} or allow more tilt."


def _unit(where: str, value: Any) -> tuple[float, float, float]:
    try:
        vector = np.array(value, dtype=float)
    except (TypeError, ValueError):
        vector = np.zeros(0)
    if vector.shape != (3,) or not computable(vector) or not vector.any():
        raise ProblemError(f"{where} = {value!r}; must be 3 finite numbers, not all zero.")
    x, y, z = (vector / np.linalg.norm(vector)).tolist()
    return x, y, z
