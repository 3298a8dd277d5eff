"""Frequency equation of clamped-mass Euler-Bernoulli modes, symbolic, for axially moving beams.

The same functions as in `euler_bernoulli_modes`, on four solutions with decaying exponentials of which the two
that meet the clamp are kept. With b = beta l they are g1 = exp(-b xi) - cos(b xi) + sin(b xi) and
g2 = exp(-b (1 - xi)) - exp(-b) (cos(b xi) + sin(b xi)).
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

Number = ca.SX | float


@dataclass(frozen=True)
class RelativeTip:
    """The rigid body at the tip in units of the beam: mass / (rho A l), inertia / (rho A l^3), moment / (rho A l^2)."""

    mass: Number
    inertia: Number
    static_moment: Number


def clamped_pair(b: ca.SX, xi: float, order: int) -> tuple[ca.SX, ca.SX]:
    """Return the derivatives of g1 and g2 with respect to xi at `xi`, divided by b^order."""
    c, s = ca.cos(b * xi), ca.sin(b * xi)
    # cos + sin and cos - sin turn into each other; every second derivative changes the sign.
    sign = -1.0 if order % 4 in (2, 3) else 1.0
    falling = c - s if order % 2 == 0 else -(s + c)
    rising = c + s if order % 2 == 0 else c - s
    inner, outer = ca.exp(-b * xi), ca.exp(-b * (1 - xi))
    return (-1.0) ** order * inner - sign * falling, outer - ca.exp(-b) * sign * rising


def tip_conditions(b: ca.SX, tip: RelativeTip) -> tuple[tuple[ca.SX, ca.SX], tuple[ca.SX, ca.SX]]:
    """Return the residuals of moment and shear at the tip, each for g1 and g2 (Subudhi & Morris 2002, 29-30)."""
    value, slope, bend, shear = (clamped_pair(b, 1.0, order) for order in range(4))
    moment = [bend[k] - b**3 * tip.inertia * slope[k] - b**2 * tip.static_moment * value[k] for k in (0, 1)]
    force = [shear[k] + b * tip.mass * value[k] + b**2 * tip.static_moment * slope[k] for k in (0, 1)]
    return (moment[0], moment[1]), (force[0], force[1])


def frequency_equation(b: ca.SX, tip: RelativeTip) -> ca.SX:
    """Return the residual whose roots b are those of the frequency equation (Theodore & Ghosal 1995, eq 11)."""
    moment, force = tip_conditions(b, tip)
    return moment[0] * force[1] - moment[1] * force[0]
