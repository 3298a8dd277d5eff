"""Loops that come open in a run: of closures that follow from one another at its start, some are left out."""

from __future__ import annotations

import numpy as np

from flexblocks.constraints.loop_equations import closure_equations, mismatches
from flexblocks.dae.dae import DAE

# Of the loops' length, or rad: integration leaves 1e-6 and less. Loops of more closures than they need, as Bennett's,
# keep those that count at the start; where they count no longer, others would have to take their place.
OPEN = 1e-3


def first_open(dae: DAE, x: np.ndarray, p: np.ndarray) -> int | None:
    """Return the first of the states (k, nx) at which loops are open; None if they are closed all along."""
    if not len(x):
        return None
    n, count = dae.tree.size, len(x)
    mismatch = closure_equations(dae).mismatch.map(count)(x[:, :n].T, np.tile(p, (count, 1)).T)[0].full()
    largest = np.abs(mismatch).reshape(mismatch.shape[0], count).max(axis=0, initial=0.0)
    opened = np.flatnonzero(~(largest <= OPEN))
    return int(opened[0]) if opened.size else None


def opened_words(dae: DAE, x: np.ndarray, p: np.ndarray) -> str:
    """Return what a run says of loops that are open at the state x (nx,)."""
    return (
        f"its loops have come open ({mismatches(dae, x[: dae.tree.size], p)}): of their closures, of which some follow "
        "from others where the arm was assembled, those that were kept do not hold them there. Assemble it with start "
        "values in a generic posture, or leave out what is overconstrained, by spherical joints for hinges"
    )
