"""Viscous, Coulomb and Stribeck friction of a shaft."""

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
    flange,
    parameter,
)


@dataclass(frozen=True)
class Friction(Block):
    """Viscous and Coulomb friction between a shaft and the body that carries it.

    Parameters
    ----------
    name : str
    viscous : float
        Torque per rate [N m s/rad].
    coulomb : float
        Torque of dry friction once the shaft slides [N m].
    velocity : float
        Regularisation: the rate at which 76 % of the dry torque is reached [rad/s]. The smaller, the sharper the
        change of sign and the stiffer the equations. Plans begin with much larger ones by themselves.
    breakaway : float, optional
        Torque of dry friction on the verge of sliding, >= `coulomb` [N m]; by default `coulomb`.
    stribeck_velocity : float
        Rate at which the excess of `breakaway` over `coulomb` has fallen to 1/e [rad/s].

    Notes
    -----
    The torque on the shaft is -(viscous w + (coulomb + (breakaway - coulomb) exp(-(w/stribeck_velocity)^2))
    tanh(w/velocity)) at the rate w; it is smooth, never drives, and lets a loaded shaft creep instead of sticking. On
    the motor's side of a gear with the ratio n the arm feels n times the dry and n^2 times the viscous torque.
    Output: ``torque`` on the shaft [N m].
    """

    viscous: float = parameter("N m s/rad", NOT_NEGATIVE, default=0.0)
    coulomb: float = parameter("N m", NOT_NEGATIVE, default=0.0)
    velocity: float = parameter("rad/s", POSITIVE, default=0.01)
    breakaway: float | None = parameter("N m", NOT_NEGATIVE, default=None)
    stribeck_velocity: float = parameter("rad/s", POSITIVE, default=0.1)

    ports = (flange("flange_b"),)
    rounding = FrictionRounding("velocity", "coulomb", "stribeck_velocity", {"breakaway": "coulomb"})

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_weak_breakaway(self.where, self.breakaway, self.coulomb)

    def coordinates(self) -> tuple[Coordinate, ...]:
        return one_end()

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return one_flange()

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del frame
        rate = local.rate(local["angle"])
        dry = self.coulomb
        if self.breakaway is not None:
            dry += (self.breakaway - self.coulomb) * ca.exp(-((rate / self.stribeck_velocity) ** 2))
        # As a load, not as the gradient of a Rayleigh function: log cosh overflows, and the form that does not has
        # no second derivative at rest, where the friction is linearised.
        torque = -(self.viscous * rate + dry * ca.tanh(rate / self.velocity))
        return Physics(loads=(Load(torque, local["angle"]),), outputs={"torque": Output(torque, "N m")})
