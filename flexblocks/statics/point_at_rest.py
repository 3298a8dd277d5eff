"""The operating point with given unknowns of statics."""

from __future__ import annotations

import numpy as np

from flexblocks.dae.dae import DAE

from .balance import unknown_slices
from .operating_point import OperatingPoint


def point_at_rest(dae: DAE, s: np.ndarray, p: np.ndarray, residual: np.ndarray | None = None) -> OperatingPoint:
    """Return the operating point at rest with the unknowns of statics `s` (ns,), the parameters and the residual."""
    at, q = unknown_slices(dae), s[unknown_slices(dae).q]
    return OperatingPoint(
        states=dae.x.names,
        algebraics=dae.z.names,
        inputs=dae.u.names,
        parameters=dae.p.names,
        x=np.concatenate([q, np.zeros_like(q), s[at.w]]),
        z=s[at.z],
        u=s[at.u],
        p=p,
        residual=np.zeros(0) if residual is None else residual,
        multipliers=dae.tree.loops.multipliers,
        forces=s[at.multipliers],
        dae=dae,
    )
