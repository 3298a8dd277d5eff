"""Closed-form recognition of constants: simple fractions, times a power of pi or the square root of two."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

LARGEST_NUMERATOR, LARGEST_DENOMINATOR = 10_000, 128
LARGEST_PLAIN_DENOMINATOR = 12  # without pi or a root, decimals are as readable
EXACT = 1e-14  # relative; integrals of shapes are right to a few units of the last digit
POWERS_OF_PI = (0, 1, -1, 2, -2, 3, -3, 4, -4)


@dataclass(frozen=True)
class Exact:
    """Closed form of a constant: fraction * pi**n, times sqrt(2) if `root`; n is `pi`."""

    fraction: Fraction
    pi: int = 0
    root: bool = False


def recognized(value: float) -> Exact | None:
    """Return the simple closed form that a number > 0 is a rounding of, or None."""
    if not 0 < value < math.inf:
        return None
    for root in (False, True):
        for power in POWERS_OF_PI:
            plain = power == 0 and not root
            rest = value / (math.pi**power * (math.sqrt(2.0) if root else 1.0))
            fraction = Fraction(rest).limit_denominator(LARGEST_PLAIN_DENOMINATOR if plain else LARGEST_DENOMINATOR)
            if 0 < fraction.numerator <= LARGEST_NUMERATOR and abs(float(fraction) - rest) <= EXACT * rest:
                return Exact(fraction, power, root)
    return None


def latex_number(value: float) -> str | None:
    """Return the LaTeX of the closed form of a number > 0, or None if it has none."""
    exact = recognized(value)
    if exact is None:
        return None
    above, below = [], []
    if exact.root:
        above.append(r"\sqrt{2}")
    if exact.pi:
        power = r"\pi" if abs(exact.pi) == 1 else rf"\pi^{{{abs(exact.pi)}}}"
        (above if exact.pi > 0 else below).append(power)
    if exact.fraction.numerator != 1 or not above:
        above.insert(0, str(exact.fraction.numerator))
    if exact.fraction.denominator != 1:
        below.insert(0, str(exact.fraction.denominator))
    top, bottom = r"\,".join(above), r"\,".join(below)
    return rf"\frac{{{top}}}{{{bottom}}}" if below else top
