"""Smooth one-sided laws: what acts on one side of zero alone, and roots that keep their slope at zero."""

from __future__ import annotations

import math

import casadi as ca

# Width, relative to 1, over which the damping factor of Hunt and Crossley bends into 0 at fast separation.
RELEASE = 0.1
IMPACT_AT_REST = 1 + math.sqrt(1 + RELEASE**2)


def positive_part(x: ca.SX | float, width: float | ca.SX) -> ca.SX:
    """Return the smooth positive part of `x`: x/2 + sqrt(x^2 + width^2)/2, which is width/2 at 0."""
    return 0.5 * (x + ca.sqrt(x**2 + width**2))


def one_sided_energy(x: ca.SX, width: float | ca.SX) -> ca.SX:
    """Return half the square of the smooth positive part of `x`, the energy of a spring that acts on one side."""
    return (x + ca.sqrt(x**2 + width**2)) ** 2 / 8


def one_sided_force(x: ca.SX, width: float | ca.SX) -> ca.SX:
    """Return the derivative of `one_sided_energy`: x far above 0, width/4 at 0, width^4/16 |x|^-3 far below."""
    root = ca.sqrt(x**2 + width**2)
    return (x + root) ** 2 / (4 * root)


def impact_growth(approach: ca.SX, damping: float | ca.SX) -> ca.SX:
    """Return twice the smooth positive part of 1 + damping * approach (Hunt and Crossley 1975).

    It is what damping makes of the force of a contact; over `IMPACT_AT_REST`, so that damping changes no equilibrium.
    """
    growth = 1 + damping * approach
    return growth + ca.sqrt(growth**2 + RELEASE**2)


def signed_root(x: ca.SX, width: float | ca.SX) -> ca.SX:
    """Return sign(x) sqrt(|x|), with the finite slope width^-1/2 at 0."""
    return x / ca.sqrt(ca.sqrt(x**2 + width**2))
