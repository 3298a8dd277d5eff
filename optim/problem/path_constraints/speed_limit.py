"""Speed limit: how fast points of an arm move in space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import casadi as ca

from ...errors import ProblemError
from ..signals.signals import Signals
from .names import positive, required_names
from .path_constraint import BoundedValue, PathConstraint
from .segments import beyond


@dataclass(frozen=True)
class SpeedLimit(PathConstraint):
    """A limit on the speed of points of an arm, whichever way they move, or on how fast frames turn.

    Parameters
    ----------
    frames : str or sequence of str
        Points, see `flexblocks.place.place`: ``"payload"``, ``"link1.station(0.25)"``.
    speed : float, optional
        The greatest magnitude of the velocity [m/s].
    turning : float, optional
        The greatest magnitude of the angular velocity [rad/s].
    name : str, optional
        For messages.

    Notes
    -----
    (V^2 - v^2) / (2 V) >= 0: smooth at rest, too, and near the limit what is left of it.
    """

    may_be_lifted: ClassVar[bool] = False
    frames: Any
    speed: float | None = None
    turning: float | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "frames", required_names("SpeedLimit: frames", self.frames))
        if self.speed is None and self.turning is None:
            raise ProblemError("SpeedLimit: no limit; give speed [m/s], turning [rad/s], or both.")
        for quantity, unit in (("speed", "m/s"), ("turning", "rad/s")):
            if getattr(self, quantity) is not None:
                positive(f"SpeedLimit: {quantity}", getattr(self, quantity), unit)

    @property
    def label(self) -> str:
        """The name, or what it is."""
        return self.name or "speed limit"

    def values(self, label: str, signals: Signals) -> list[BoundedValue]:
        kept = []
        for limit, quantity in ((self.speed, "velocity"), (self.turning, "angular_velocity")):
            if limit is None:
                continue
            for frame in self.frames:
                velocity = ca.vertcat(*[signals[f"{frame}.{quantity}_{axis}"] for axis in "xyz"])
                what = f"{frame} within {label}" + (" of turning" if quantity != "velocity" else "")
                kept.append(BoundedValue(what, -beyond(ca.sumsqr(velocity), limit), low=0.0, most=limit))
        return kept

    def size(self, bounded: BoundedValue) -> float:
        return min(limit for limit in (self.speed, self.turning) if limit is not None)

    def refusal(self, where: str, bounded: BoundedValue, value: float) -> str:
        return f"{bounded.name}: faster by {bounded.beyond(-value):.4g}. Slow down the {where} or raise the limit."
