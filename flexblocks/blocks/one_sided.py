"""Smooth one-sided laws: what acts on one side of zero alone, and roots that keep their slope at zero."""

from __future__ import annotations

import casadi as ca

# Width, relative to 1, over which the damping factor of Hunt and Crossley bends into 0 at fast separation.
RELEASE = 0.1


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


def impact_factor(approach: ca.SX, damping: float | ca.SX) -> ca.SX | float:
    """Return what damping makes of the force of a contact, smoothly never below 0: 1 + damping * approach.

    Scaled to 1 at rest, so that damping changes no equilibrium (Hunt and Crossley 1975).
    """
    if not isinstance(damping, ca.SX) and damping == 0:
        return 1.0
    growth = 1 + damping * approach
    return (growth + ca.sqrt(growth**2 + RELEASE**2)) * (0.5 / positive_part(1.0, RELEASE))


def signed_root(x: ca.SX, width: float | ca.SX) -> ca.SX:
    """Return sign(x) sqrt(|x|), with the finite slope width^-1/2 at 0."""
    return x / ca.sqrt(ca.sqrt(x**2 + width**2))
