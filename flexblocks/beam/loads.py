"""Distributed loads: forces per length, in the axes of the beam's root."""

from __future__ import annotations

import casadi as ca

from flexblocks.beam.kinematics.deflection import Flexure
from flexblocks.beam.properties.profile import Distribution
from flexblocks.interfaces import skew


def load_power(flexure: Flexure, axis: str, scale: float | ca.SX, distribution: Distribution) -> ca.SX:
    """Return the power [W] of a distributed load on the beam.

    Parameters
    ----------
    flexure : Flexure
    axis : "y" or "z"
        Of its root (`frame_a`), along which the force acts, whatever the discretisation measures deflections from.
    scale : float or SX
        Factor of the distribution.
    distribution : Distribution
        Times `scale` the force per length [N/m].
    """
    total, place = flexure.resultant(distribution)
    place, base, i = ca.sparsify(place), flexure.base, "xyz".index(axis)
    velocity = total * base.v - skew(place) @ base.omega + flexure.rate(place)
    return scale * flexure.along_root(velocity)[i]
