"""Sizes of states: what they are measured by where all of them count alike."""

from __future__ import annotations

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.simulation.implicit.displacements import displacements

# A state's scale moves the arm by this share of its reach; a rate's does so within this share of a time.
SHARE, PACE = 0.1, 0.1


def state_scales(dae: DAE, x: np.ndarray, time: float) -> np.ndarray:
    """Return the size of each state (nx,) of an arm in a posture `x` (nx,) that moves within a time [s]."""
    n = dae.tree.size
    measured = displacements(dae, x, dae.z.start, dae.p.start)
    of_q = SHARE * measured.reach / measured.weight
    return np.concatenate([of_q, of_q / (PACE * time), np.maximum(np.abs(x[2 * n :]), 1.0)])
