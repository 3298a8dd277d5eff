"""How far beams bend along a plan, where that is beyond what small deflections describe."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from flexblocks.blocks.flexible_beam import FlexibleBeam
from flexblocks.dae import DAE
from flexblocks.simulation.trajectory import Trajectory

SMALL = 0.2  # of a beam's length: a tip deflection at which its slope is about 0.3 rad


def far_bent(dae: DAE, motions: Iterable[Trajectory]) -> list[str]:
    """Return a remark on each beam whose tip deflects by more than a fifth of its length."""
    found = []
    for name, beam in ({} if dae.model is None else dae.model.blocks).items():
        if not isinstance(beam, FlexibleBeam):
            continue
        outputs = [f"{name}.tip_deflection_{axis}" for axis in "yz"]
        most = max((float(np.abs(m[y]).max()) for m in motions for y in outputs if y in m), default=0.0)
        if most > SMALL * beam.length:
            found.append(
                f"{name} bends by up to {most:.2g} m, {100 * most / beam.length:.0f} % of its length, and is modelled "
                "for small deflections"
            )
    return found
