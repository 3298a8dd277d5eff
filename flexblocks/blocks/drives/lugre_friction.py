"""LuGre friction of a shaft, which sticks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from flexblocks.blocks.drives.shaft import one_end, one_flange, refuse_weak_breakaway
from flexblocks.interfaces import (
    NOT_NEGATIVE,
    POSITIVE,
    Block,
    Coordinate,
    Frame,
    FrictionRounding,
    Load,
    Local,
    Output,
    Physics,
    Variable,
    flange,
    parameter,
)

# Width, relative to the deflection per second of stiction, over which the rate's absolute value is smooth.
SMOOTH = 1e-6


@dataclass(frozen=True)
class LuGreFriction(Block):
    """LuGre friction between a shaft and the body that carries it: bristles that bend, and slip under load.

    Unlike `Friction` it sticks: a loaded shaft at rest bends the bristles and stays.

    Parameters
    ----------
    name : str
    stiffness : float
        Of the bristles: torque per angle while the shaft sticks [N m/rad].
    coulomb : float
        Torque of dry friction once the shaft slides [N m].
    breakaway : float, optional
        Torque on the verge of sliding, >= `coulomb` [N m]; by default `coulomb`.
    stribeck_velocity : float
        Rate at which the excess of `breakaway` over `coulomb` has fallen to 1/e [rad/s].
    damping : float
        Of the bristles [N m s/rad]; about ``2 sqrt(stiffness * inertia)`` lets the shaft stop without ringing. It fades
        where the shaft slides, so that friction never drives.
    viscous : float
        Torque per rate [N m s/rad].
    transition : float, optional
        Rate below which |w| is rounded off, to sqrt(w^2 + transition^2) [rad/s]: the shaft then creeps under load
        instead of sticking. By default it sticks. Plans go from rounded to sharp friction by themselves.

    Notes
    -----
    With the rate w, g(w) = coulomb + (breakaway - coulomb) exp(-(w/stribeck_velocity)^2) and the state ``deflection``
    z [rad]: z' = w - stiffness |w|/g(w) z, torque on the shaft -(stiffness z + damping exp(-(w/stribeck_velocity)^2) z'
    + viscous w). Output: ``torque`` [N m].

    Source: Canudas de Wit, Olsson, Astrom and Lischinsky, IEEE Trans. Automatic Control 40, 1995, equations 1 to 4;
    damping that fades as in Olsson et al., European Journal of Control 4, 1998, section 3.4.
    """

    stiffness: float = parameter("N m/rad", POSITIVE)
    coulomb: float = parameter("N m", POSITIVE)
    breakaway: float | None = parameter("N m", POSITIVE, default=None)
    stribeck_velocity: float = parameter("rad/s", POSITIVE, default=0.1)
    damping: float = parameter("N m s/rad", NOT_NEGATIVE, default=0.0)
    viscous: float = parameter("N m s/rad", NOT_NEGATIVE, default=0.0)
    transition: float | None = parameter("rad/s", POSITIVE, default=None)

    ports = (flange("flange_b"),)
    rounding = FrictionRounding("transition", "coulomb", "stribeck_velocity", {"breakaway": "coulomb", "damping": 0.0})

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_weak_breakaway(self.where, self.breakaway, self.coulomb)

    def coordinates(self) -> tuple[Coordinate, ...]:
        return one_end()

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return one_flange()

    def states(self) -> tuple[Variable, ...]:
        # Beyond breakaway bristles slip, at rest as well.
        highest = (self.coulomb if self.breakaway is None else self.breakaway) / self.stiffness
        return (Variable("deflection", "rad", low=-highest, high=highest),)

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del frame
        rate, z = local.rate(local["angle"]), local["deflection"]
        fading = ca.exp(-((rate / self.stribeck_velocity) ** 2))
        dry = self.coulomb if self.breakaway is None else self.coulomb + (self.breakaway - self.coulomb) * fading
        if self.transition is None:
            # Zero at rest, where the state may take any value below breakaway: a smooth root would let it creep back.
            speed = rate**2 / ca.sqrt(rate**2 + (SMOOTH * self.stribeck_velocity) ** 2)
        else:
            speed = ca.sqrt(rate**2 + self.transition**2)
        slip = rate - self.stiffness * speed / dry * z
        torque = -(self.stiffness * z + self.damping * fading * slip + self.viscous * rate)
        return Physics(
            loads=(Load(torque, local["angle"]),),
            derivatives={"deflection": slip},
            outputs={"torque": Output(torque, "N m")},
        )
