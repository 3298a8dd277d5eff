"""Clamped-mass Euler-Bernoulli modes by their values at clamp and tip, as symbolic functions of their root.

A mode solves phi'''' = lambda phi with lambda = b^4 and phi(0) = phi'(0) = 0: its deflection, slope, moment and shear
at the tip and its moment and shear at the clamp are enough for every integral of it, by integration by parts (see
`following_modes`). The ratio of the last two follows from the moment that the tip body exerts.

The heavier the tip, the smaller the roots of the first two modes: that of the first lies between 0 and 1.875, that of
the second, which feels the inertia, between 0 and 4.694. Where they are small, modes are nearly cubic polynomials.
As combinations of the Krylov-Duncan functions, power series in lambda, they keep their digits there. All others are
combinations of decaying exponentials, sines and cosines, which lose none where roots are large.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import casadi as ca

from flexblocks.beam.shapes.clamped_mass_modes import RelativeTip

# Terms of the series for the first and the second mode: at the largest roots of each the next adds 2e-17 of the sum.
TERMS = (5, 9)
# A second mode is written as a series if its root starts below: exponentials are off by less than 1e-13 from 0.8 on,
# the series by less than 1e-14 up to the largest root.
LOW = 2.5


@dataclass(frozen=True)
class ModeEnds:
    """A mode of mean square 1, by dimensionless values at its ends.

    Attributes
    ----------
    tip : SX (4, 1)
        phi, phi', phi'' and phi''' at xi = 1.
    clamp : SX (2, 1)
        phi'' and phi''' at xi = 0.
    mean, moment : SX
        Integrals of phi and of xi phi.
    """

    tip: ca.SX
    clamp: ca.SX
    mean: ca.SX
    moment: ca.SX

    @property
    def stacked(self) -> ca.SX:
        """All eight values (8, 1)."""
        return ca.vertcat(self.tip, self.clamp, self.mean, self.moment)

    @staticmethod
    def of(stacked: ca.SX) -> ModeEnds:
        return ModeEnds(stacked[:4], stacked[4:6], stacked[6], stacked[7])


def mode_ends(index: int, b: ca.SX, start: float, tip: RelativeTip, sign: float = 1.0) -> ModeEnds:
    """Return the mode of root `b`, the first one with `index` 0, with that sign; `start` is where its root starts."""
    if is_series(index, start):
        return _by_series(b, tip, sign, TERMS[index])
    return _by_exponentials(b, tip, sign)


def is_series(index: int, start: float) -> bool:
    """Whether a mode whose root starts there is written as a power series in its root."""
    return index == 0 or (index == 1 and start < LOW)


def _by_series(b: ca.SX, tip: RelativeTip, sign: float, terms: int) -> ModeEnds:
    """Return a mode as a combination of the two Krylov-Duncan functions that meet the clamp."""
    power = b**4
    # c_j(lambda) = sum_k lambda^k/(4 k + j)!; the functions at the tip are c_2 and c_3, their derivatives c_1, c_0, ...
    c4, c5, c6, c7 = (_series(power, j, terms) for j in range(4, 8))
    c0, c1, c2, c3 = 1 + power * c4, 1 + power * c5, 1 / 2 + power * c6, 1 / 6 + power * c7
    inertia, static = power * tip.inertia, power * tip.static_moment
    bend = c1 - inertia * c2 - static * c3
    shear = -(c0 - inertia * c1 - static * c2)
    phi = [bend * c2 + shear * c3, bend * c1 + shear * c2, bend * c0 + shear * c1, bend * power * c3 + shear * c0]
    if _exerts_no_moment(tip):
        phi[2] = ca.SX(1, 1)
    # What the mode is beyond the cubic polynomial with its moment and shear at the clamp, over lambda.
    rest = [bend * c6 + shear * c7, bend * c5 + shear * c6, bend * c4 + shear * c5, bend * c3 + shear * c4]
    cubic = [bend / 2 + shear / 6, bend + shear / 2, bend + shear, shear]
    # Four times the mean square, phi^2 + (3 phi phi''' - 2 phi' phi''' - phi' phi'' + phi''^2)/lambda at the tip, of
    # which the bracket of the cubic polynomial alone is zero: what is left is free of differences of large numbers.
    square = (
        phi[0] ** 2
        + 3 * (cubic[0] * rest[3] + rest[0] * phi[3])
        - 2 * (cubic[1] * rest[3] + rest[1] * phi[3])
        - (cubic[1] * rest[2] + rest[1] * phi[2])
        + (cubic[2] + phi[2]) * rest[2]
    )
    scale = 2 * sign / ca.sqrt(square)
    return ModeEnds(
        scale * ca.vertcat(*phi), scale * ca.vertcat(bend, shear), scale * rest[3], scale * (rest[3] - rest[2])
    )


def _series(power: ca.SX, j: int, terms: int) -> ca.SX:
    """Return sum_k lambda^k/(4 k + j)!, by Horner's rule."""
    value = ca.SX(1 / math.factorial(4 * terms - 4 + j))
    for k in reversed(range(terms - 1)):
        value = 1 / math.factorial(4 * k + j) + power * value
    return value


def _by_exponentials(b: ca.SX, tip: RelativeTip, sign: float) -> ModeEnds:
    """Return a mode as P g1 + R g2, with the functions g1 and g2 of `clamped_mass_modes`."""
    e, c, s = ca.exp(-b), ca.cos(b), ca.sin(b)
    rise, fall = c + s, c - s
    inertia, static = b**3 * tip.inertia, b**2 * tip.static_moment
    # Both at the tip, their derivatives divided by b^order.
    g1 = (e - fall, rise - e, e + fall, -(e + rise))
    g2 = (1 - e * rise, 1 - e * fall, 1 + e * rise, 1 + e * fall)
    P, R = (g[2] - inertia * g[1] - static * g[0] for g in (g2, g1))
    phi = [P * x - R * y for x, y in zip(g1, g2, strict=True)]
    if _exerts_no_moment(tip):
        phi[2] = ca.SX(1, 1)
    bend, shear = 2 * (P - e * R), -2 * (P + e * R)
    square = phi[0] ** 2 + phi[2] ** 2 - 2 * phi[1] * phi[3] + (3 * phi[0] * phi[3] - phi[1] * phi[2]) / b
    scale = 2 * sign / ca.sqrt(square)
    phi, bend, shear = [scale * value for value in phi], scale * bend, scale * shear
    along = phi[3] / b
    return ModeEnds(
        ca.vertcat(phi[0], b * phi[1], b**2 * phi[2], b**3 * phi[3]),
        ca.vertcat(b**2 * bend, b**3 * shear),
        along - shear / b,
        along - (phi[2] - bend) / b**2,
    )


def _exerts_no_moment(tip: RelativeTip) -> bool:
    return ca.SX(tip.inertia).is_zero() and ca.SX(tip.static_moment).is_zero()
