"""Spring and damper along the line between two points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from flexblocks.interfaces import (
    NOT_NEGATIVE,
    AttachedFrame,
    ForceElement,
    Local,
    Output,
    Physics,
    attachment,
    parameter,
)


@dataclass(frozen=True)
class SpringDamper(ForceElement):
    """A massless linear spring and damper along the line between `frame_a` and `frame_b`.

    Parameters
    ----------
    name : str
    stiffness : float
        [N/m]
    damping : float
        [N s/m]
    free_length : float
        Length at which the spring exerts no force [m]. At 0 it pulls in proportion to its length, as the springs of
        balanced lamps do.

    Notes
    -----
    Outputs ``length`` [m], and ``force`` [N], positive if it pushes the ends apart. The line has no direction where the
    ends meet; only an undamped spring of free length 0 may be there.
    """

    stiffness: float = parameter("N/m", NOT_NEGATIVE)
    damping: float = parameter("N s/m", NOT_NEGATIVE, default=0.0)
    free_length: float = parameter("m", NOT_NEGATIVE, default=0.0)

    ports = (attachment("frame_a"), attachment("frame_b"))

    def physics(self, frames: Mapping[str, AttachedFrame], local: Local) -> Physics:
        a, b = frames["frame_a"], frames["frame_b"]
        # A number 0, not a symbol that is 0 now: then the energy has no root, and a gradient where the ends meet.
        short = isinstance(self.free_length, float) and self.free_length == 0
        damped = isinstance(self.damping, ca.SX) or self.damping > 0
        length = b.distance(a) if damped or not short else ca.sqrt(b.squared_distance(a))
        square = b.squared_distance(a) if short else (length - self.free_length) ** 2
        rate = local.rate(length) if damped else 0.0
        return Physics(
            potential=self.stiffness / 2 * square,
            dissipation=self.damping / 2 * rate**2,
            outputs={
                "length": Output(length, "m"),
                "force": Output(self.stiffness * (self.free_length - length) - self.damping * rate, "N"),
            },
        )
