"""Start of a linkage with locked coordinates: that of the linkage without locks, led to the values of these."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexblocks.constraints.close_loops import close_loops
from flexblocks.constraints.closed_posture import closed_posture, warn_of_change_points
from flexblocks.constraints.loop_equations import LoopError
from flexblocks.dae.dae import DAE


def locked_start(free: DAE, locks: Mapping[str, float]) -> np.ndarray | None:
    """Return the closed posture of the coordinates that are not locked, in their order.

    None if the start values do not close the loops before the locks are at their values.

    Parameters
    ----------
    free : DAE
        The arm without locks, its loops not closed yet.
    locks : dict of float
        Values of coordinates by name.

    Raises
    ------
    LoopError
        The loops cannot be closed with these values.

    Warns
    -----
    FlexblocksWarning
        As `closed_posture`: the way passes a change point, or the posture may belong to another assembly.
    """
    try:
        free, leads = close_loops(free)
    except LoopError:
        return None
    for way, led in leads:
        warn_of_change_points(free, way, free.p.start, led, "assemble")
    held = np.array([name in locks for name in free.q_names])
    target = np.array([locks.get(*each) for each in zip(free.q_names, free.x.start.tolist(), strict=False)])
    return closed_posture(free, target, free.p.start, held, "assemble")[~held]
