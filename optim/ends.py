"""The ends of a trajectory."""

from __future__ import annotations

from typing import Any

import numpy as np

from .transcription import Transcription


def fix_ends(b: Any, t: Transcription) -> None:
    """Fix the states at start and goal, and the inputs there if they begin and end at holding values."""
    n, K = t.dae.tree.size, t.mesh.intervals
    for k, end in ((0, t.start), (K, t.goal)):
        q, v, w = np.split(end.x, [n, 2 * n])
        for var, names, values in ((b.q, b.coordinates, q), (b.v, b.coordinates, v), (b.w, b.first_order, w)):
            for name, value in zip(names, values.tolist(), strict=True):
                var[k, name].fix(value)
        if t.holds_ends:
            for name, value in zip(b.inputs, end.u.tolist(), strict=True):
                b.u[k, name].fix(value)
