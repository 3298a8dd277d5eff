"""Rotor: inertia on a shaft."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca

from flexblocks.interfaces import (
    NONZERO,
    NOT_NEGATIVE,
    ROTOR,
    Block,
    Coordinate,
    Frame,
    Local,
    Physics,
    flange,
    inlet,
    parameter,
    unit_vector,
)


@dataclass(frozen=True)
class Rotor(Block):
    """A rotor on a shaft, in terms of the arm's side of its gearbox.

    Parameters
    ----------
    name : str
    inertia : float
        Of the rotor and what turns with it, about its axis [kg m2].
    gear_ratio : float
        Turns of the rotor per turn of the coordinate ``angle``.
    axis : (3,)
        Axis of the rotor in the mount `frame_a`; used only if that is connected.
    start : float
        Start value of ``angle`` [rad].

    Notes
    -----
    With `frame_a` open, the rotor's spin is taken relative to its mount (Subudhi & Morris 2002, eq 7):
    T = 1/2 gear_ratio^2 inertia angle'^2. With `frame_a` connected to the body that carries the motor it is the true
    spin, T = 1/2 inertia (omega_mount . axis + gear_ratio angle')^2. The rotor's mass belongs to its mount: add a
    LumpedMass. Both flanges, and torques on them, are on the arm's side of the gearbox.
    """

    inertia: float = parameter("kg m2", NOT_NEGATIVE)
    gear_ratio: float = parameter("1", NONZERO, default=1.0)
    axis: Sequence[float] = parameter("1", shape=(3,), default=(0.0, 0.0, 1.0))
    start: float = parameter("rad", default=0.0, symbolic=False)

    ports = (inlet(optional=True), flange("flange_a", optional=True), flange("flange_b", optional=True))

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "axis", unit_vector(self.where, "axis", self.axis))

    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate("angle", "rad", self.start, rank=ROTOR),)

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return {"flange_a": ("angle", 1.0), "flange_b": ("angle", 1.0)}

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        rate = local.rate(local["angle"])
        if frame is None:
            return Physics(kinetic=(self.inertia * self.gear_ratio**2 / 2) * rate**2)
        mount = ca.dot(ca.sparsify(ca.DM(list(self.axis))), frame.omega)
        return Physics(kinetic=(self.inertia / 2) * (mount + self.gear_ratio * rate) ** 2)
