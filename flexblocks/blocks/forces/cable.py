"""Elastic cable over any number of points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import casadi as ca

from flexblocks.blocks.one_sided import one_sided_energy, one_sided_force
from flexblocks.errors import ParameterError
from flexblocks.interfaces import (
    NOT_NEGATIVE,
    POSITIVE,
    ROLES,
    AttachedFrame,
    ForceElement,
    Load,
    Local,
    Output,
    Physics,
    PortSpec,
    Role,
    Variable,
    attachment,
    choice,
    parameter,
)

# Each is a port with a frame of its own; tackle has tens.
MOST_FRAMES = 1000


@dataclass(frozen=True)
class Cable(ForceElement):
    """An elastic cable without mass from `frame_a` over `frame_1`, `frame_2` ... to `frame_b`; it pulls only.

    It slides over the frames in between without friction, so that its tension is the same all along.

    Parameters
    ----------
    name : str
    length : float
        Unstretched length [m]; with a winch at the start.
    rigidity : float
        Tension per strain: modulus of elasticity times metallic area [N].
    via : int
        Number of frames in between.
    damping_time : float
        Kelvin-Voigt damping: tension = rigidity (strain + damping_time * rate) [s].
    transition : float
        Strain over which the cable gets taut; at strain 0 the tension is ``rigidity * transition / 4``.
    winch : bool
        Whether the input ``speed`` [m/s] pays out cable (positive) or winds it up; the unstretched length is then the
        state ``length`` [m].
    limit : float, optional
        Largest speed of the winch in either direction [m/s]. Plans and closed loops keep it; simulations warn of more,
        or clip it (``saturate=True``).
    role : "actuator" or "disturbance"
        Whether laws and plans move the winch, or its speed is zero unless it is given.

    Notes
    -----
    Outputs ``tension`` [N], ``path_length`` [m] along the frames and, with a winch, its ``power`` [W] to the cable.
    A winch must leave some of the cable: the shorter what is left, the stiffer it is, without bound at length 0.
    The energy of a cable on a winch does not count as potential energy of the arm, but as work on it. Two frames that
    follow each other must not be at one place.
    """

    length: float = parameter("m", POSITIVE)
    rigidity: float = parameter("N", POSITIVE)
    via: int = 0
    damping_time: float = parameter("s", NOT_NEGATIVE, default=0.0)
    transition: float = parameter("1", POSITIVE, default=1e-4)
    winch: bool = choice((False, True), default=False)
    limit: float | None = parameter("m/s", POSITIVE, default=None, symbolic=False)
    role: Role = choice(ROLES, default="actuator")

    ports = (attachment("frame_a"), attachment("frame_b"))

    def __post_init__(self) -> None:
        if isinstance(self.via, bool) or not isinstance(self.via, int) or not 0 <= self.via <= MOST_FRAMES:
            raise ParameterError(
                f"{self.where}: via = {self.via!r}; must be an integer >= 0, a number of frames, {MOST_FRAMES} at "
                "the most."
            )
        between: tuple[PortSpec, ...] = tuple(attachment(f"frame_{i}") for i in range(1, self.via + 1))
        if self.limit is not None and not self.winch:
            raise ParameterError(f"{self.where}: limit = {self.limit!r} m/s has no effect; set winch=True.")
        if self.role != "actuator" and not self.winch:
            raise ParameterError(f"{self.where}: role = {self.role!r} has no effect; set winch=True.")
        object.__setattr__(self, "ports", (attachment("frame_a"), *between, attachment("frame_b")))
        super().__post_init__()

    def inputs(self) -> tuple[Variable, ...]:
        return (Variable("speed", "m/s", limit=self.limit, role=self.role),) if self.winch else ()

    def states(self) -> tuple[Variable, ...]:
        if not self.winch:
            return ()
        return (Variable("length", "m", start=self.nominal.length, positive=True, follows="path_length"),)

    def physics(self, frames: Mapping[str, AttachedFrame], local: Local) -> Physics:
        path = sum((second.distance(first) for first, second in pairwise(frames.values())), ca.SX(1, 1))
        length, pay_out = (local["length"], local["speed"]) if self.winch else (self.length, ca.SX(1, 1))
        strain = path / length - 1
        # As the energy depends on the unstretched length, so does all of the tension if there is a winch.
        stored = 0.0 if self.winch else self.rigidity * length * one_sided_energy(strain, self.transition)
        tension = self.rigidity * one_sided_force(strain, self.transition)
        if isinstance(self.damping_time, ca.SX) or self.damping_time > 0:
            growth = (local.rate(path) - pay_out * (1 + strain)) / length
            tension = self.rigidity * one_sided_force(strain + self.damping_time * growth, self.transition)
        outputs = {"tension": Output(tension, "N"), "path_length": Output(path, "m")}
        if self.winch:
            # What is wound on is strained, and the drum strains it
            elastic = self.rigidity * one_sided_energy(strain, self.transition)
            outputs["power"] = Output((elastic - tension * (1 + strain)) * pay_out, "W")
        return Physics(
            loads=(Load(-tension, path, stored),),
            derivatives={"length": pay_out} if self.winch else {},
            outputs=outputs,
        )
