"""Loops that come open in a run: of closures that follow from one another at its start, some are left out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from flexblocks.constraints.loop_equations import closure_equations, mismatches
from flexblocks.dae.dae import DAE
from flexblocks.simulation.trajectory import GROUPS, Trajectory

# Of the loops' length, or rad: integration leaves 1e-6 and less. Loops of more closures than they need, as Bennett's,
# keep those that count at the start; where they count no longer, others would have to take their place.
OPEN = 1e-3


@dataclass(frozen=True)
class Opened:
    """When the loops of a motion came open [s], why in words, and the motion before."""

    time: float
    words: str
    before: Trajectory


def opened(dae: DAE, motion: Trajectory, p: np.ndarray) -> Opened | None:
    """Return where the loops of a motion come open, with parameters (np,); None if they are closed all along."""
    if not dae.tree.loops.closures or not len(motion):
        return None
    n, count = dae.tree.size, len(motion)
    mismatch = closure_equations(dae).mismatch.map(count)(motion.x[:, :n].T, np.tile(p, (count, 1)).T)[0].full()
    largest = np.abs(mismatch).reshape(mismatch.shape[0], count).max(axis=0, initial=0.0)
    where = np.flatnonzero(~(largest <= OPEN))
    if not where.size:
        return None
    first = int(where[0])
    words = (
        f"its loops have come open ({mismatches(dae, motion.x[first, :n], p)}): of their closures, of which some "
        "follow from others where the arm was assembled, those that were kept do not hold them there. Assemble it with "
        "start values in a generic posture, or leave out what is overconstrained, by spherical joints for hinges"
    )
    groups = {name: getattr(motion, name)[:first] for name in GROUPS}
    return Opened(float(motion.t[first]), words, replace(motion, t=motion.t[:first], complete=False, **groups))
