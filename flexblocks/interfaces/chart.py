"""Charts: coordinates of a block that cover its configurations only in part, and the way to the next chart.

Three numbers cannot describe all attitudes without a singularity. Two sets of them can: before one becomes singular,
the same attitude is expressed in the other. The equations are those of one chart; a simulation changes it as it goes.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca


@dataclass(frozen=True)
class Chart:
    """The chart of a block's coordinates.

    Attributes
    ----------
    distance : SX
        Distance from the border at which the chart is changed, in the unit of an angle or a length; negative beyond.
    speed : SX
        Bound on the rate of that distance, at the present rates of the coordinates.
    coordinates : SX (n_block, 1)
        The same configuration in the next chart, as a function of the coordinates.
    """

    distance: ca.SX
    speed: ca.SX
    coordinates: ca.SX
