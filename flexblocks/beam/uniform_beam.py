"""The beam itself, however finely it bends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from flexblocks.beam.tip_body import TipBody

Number = float | ca.SX


@dataclass(frozen=True, eq=False)
class UniformBeam:
    """A uniform Euler-Bernoulli beam along x, clamped at its root.

    Attributes
    ----------
    length, mass : float or SX
        [m], [kg]
    rigidity : dict
        EI [N m2] by axis of deflection, ``"y"`` and/or ``"z"``: the planes in which it bends.
    damping_ratio : float or SX
        Share of critical damping of every mode.
    tip : dict of TipBody
        By axis, the rigid body at the tip that shapes the modes, in units of the beam (m, m l^2, m l).
    """

    length: Number
    mass: Number
    rigidity: Mapping[str, Number]
    damping_ratio: Number
    tip: Mapping[str, TipBody]

    def stiffness(self, axis: str) -> Number:
        """Return the unit of stiffness EI/l^3 [N/m]."""
        return self.rigidity[axis] / self.length**3

    def damping(self, axis: str) -> Number:
        """Return the unit of damping sqrt(m EI/l^3), times the damping ratio [N s/m]."""
        return self.damping_ratio * ca.sqrt(self.mass * self.stiffness(axis))
