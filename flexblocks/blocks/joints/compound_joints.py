"""Universal joint and gimbal, as revolute joints in series whose axes meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from flexblocks.blocks.joints.joint import refuse_empty_range
from flexblocks.blocks.joints.revolute import Revolute
from flexblocks.interfaces import (
    NOT_NEGATIVE,
    POSITIVE,
    Block,
    Composite,
    flange,
    inlet,
    outlet,
    parameter,
    unit_vector,
)

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


class SerialHinges(Composite):
    """Hinges in series through one point: parts ``revolute1``, ``revolute2``, ...; ports ``axis1``, ..."""

    axes: Sequence[Sequence[float]]
    damping: float
    start: Sequence[float]
    low: Sequence[float] | None
    high: Sequence[float] | None
    max_speed: Sequence[float] | None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, low, high in zip(self._names, self._each(self.low), self._each(self.high), strict=True):
            refuse_empty_range(f"{self.where}: {name}", low, high, "rad")
        unit = tuple(unit_vector(self.where, f"axes[{i}]", axis) for i, axis in enumerate(self.axes))
        object.__setattr__(self, "axes", unit)

    def parts(self) -> tuple[Block | Composite, ...]:
        limits = (self._each(values) for values in (self.low, self.high, self.max_speed))
        return tuple(
            Revolute(name, axis=axis, damping=self.damping, start=angle, low=low, high=high, max_speed=most)
            for name, axis, angle, low, high, most in zip(self._names, self.axes, self.start, *limits, strict=True)
        )

    def connections(self) -> tuple[tuple[str, str], ...]:
        return tuple((f"{inner}.frame_b", f"{outer}.frame_a") for inner, outer in pairwise(self._names))

    def exposed(self) -> Mapping[str, str]:
        drives = {f"axis{i}": f"{name}.axis" for i, name in enumerate(self._names, 1)}
        return {"frame_a": f"{self._names[0]}.frame_a", "frame_b": f"{self._names[-1]}.frame_b", **drives}

    def _each(self, values: Sequence[float] | None) -> Sequence[float | None]:
        return [None] * len(self.axes) if values is None else values

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(f"revolute{i}" for i in range(1, len(self.axes) + 1))


@dataclass(frozen=True)
class Universal(SerialHinges):
    """A universal (Cardan) joint: two hinges in series whose axes meet.

    Parameters
    ----------
    name : str
    axes : (2, 3)
        Axis of the first hinge in `frame_a`, and of the second in the axes turned by the first.
    damping : float
        Viscous friction in each hinge [N m s/rad].
    start : (2,)
        Start values of the angles [rad].
    low, high, max_speed : (2,), optional
        Limits of the angles [rad] and speeds [rad/s], as of a `Revolute`.

    Notes
    -----
    Coordinates ``<name>.revolute1.angle`` and ``<name>.revolute2.angle``. Ports ``axis1`` and ``axis2`` are the drive
    sides.
    """

    axes: Sequence[Sequence[float]] = parameter("1", shape=(2, 3), default=(X, Y))
    damping: float = parameter("N m s/rad", NOT_NEGATIVE, default=0.0)
    start: Sequence[float] = parameter("rad", shape=(2,), default=(0.0, 0.0), symbolic=False)
    low: Sequence[float] | None = parameter("rad", shape=(2,), default=None, symbolic=False)
    high: Sequence[float] | None = parameter("rad", shape=(2,), default=None, symbolic=False)
    max_speed: Sequence[float] | None = parameter("rad/s", POSITIVE, shape=(2,), default=None, symbolic=False)

    ports = (inlet(), outlet(), flange("axis1", optional=True), flange("axis2", optional=True))


@dataclass(frozen=True)
class Gimbal(SerialHinges):
    """A gimbal: three hinges in series whose axes meet, each with a drive side.

    Parameters
    ----------
    name : str
    axes : (3, 3)
        Axis of the first hinge in `frame_a`, of each further one in the axes turned by those before. By
        default x, y, z: Cardan (Tait-Bryan) angles. ``((0, 0, 1), (1, 0, 0), (0, 0, 1))`` gives Euler's.
    damping : float
        Viscous friction in each hinge [N m s/rad].
    start : (3,)
        Start values of the angles [rad].
    low, high, max_speed : (3,), optional
        Limits of the angles [rad] and speeds [rad/s], as of a `Revolute`.

    Notes
    -----
    Coordinates ``<name>.revolute1.angle`` to ``<name>.revolute3.angle``. Ports ``axis1`` to ``axis3`` are the drive
    sides. In one posture the first and the last axis are parallel (gimbal lock) and the mass matrix is singular: with
    the default axes at a second angle of 90 degrees, with Euler's at 0. Choose `axes` that keep this posture outside
    the motion, or a `Spherical` joint, which has none.
    """

    axes: Sequence[Sequence[float]] = parameter("1", shape=(3, 3), default=(X, Y, Z))
    damping: float = parameter("N m s/rad", NOT_NEGATIVE, default=0.0)
    start: Sequence[float] = parameter("rad", shape=(3,), default=(0.0, 0.0, 0.0), symbolic=False)
    low: Sequence[float] | None = parameter("rad", shape=(3,), default=None, symbolic=False)
    high: Sequence[float] | None = parameter("rad", shape=(3,), default=None, symbolic=False)
    max_speed: Sequence[float] | None = parameter("rad/s", POSITIVE, shape=(3,), default=None, symbolic=False)

    ports = (inlet(), outlet(), *(flange(f"axis{i}", optional=True) for i in (1, 2, 3)))
