"""Play between two stops: no torque between them, one-sided springs beyond; the law of end stops and of backlash."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from flexblocks.blocks.one_sided import IMPACT_AT_REST, impact_growth, one_sided_energy, one_sided_force


@dataclass(frozen=True)
class Play:
    """One-sided springs and dampers beyond `low` and `high`, smooth.

    Attributes
    ----------
    low, high : float or SX
        The stops [rad].
    stiffness : float or SX
        Of either stop [N m/rad].
    transition : float or SX
        Angle over which a stop sets in [rad].
    damping : float or SX
        Relative growth of the torque per rate of approach [s/rad].
    """

    low: float | ca.SX
    high: float | ca.SX
    stiffness: float | ca.SX
    transition: float | ca.SX
    damping: float | ca.SX

    def torque(self, angle: ca.SX, rate: ca.SX) -> ca.SX:
        """Return the torque that pushes `angle` back between the stops [N m]."""
        up = one_sided_force(self.low - angle, self.transition)
        down = one_sided_force(angle - self.high, self.transition)
        if isinstance(self.damping, ca.SX) or self.damping > 0:
            up *= impact_growth(-rate, self.damping)
            down *= impact_growth(rate, self.damping)
            return self.stiffness / IMPACT_AT_REST * (up - down)
        return self.stiffness * (up - down)

    def energy(self, angle: ca.SX) -> ca.SX:
        """Return the energy of the springs [J]."""
        beyond = self.low - angle, angle - self.high
        return self.stiffness * sum((one_sided_energy(depth, self.transition) for depth in beyond), ca.SX(1, 1))
