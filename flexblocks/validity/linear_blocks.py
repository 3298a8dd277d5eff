"""Blocks of an arm that are modelled for small deflections."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.interfaces import SmallDeflections


@lru_cache(maxsize=32)
def linear_blocks(dae: DAE) -> tuple[tuple[int, SmallDeflections], ...]:
    """Return the bodies, by index, that are modelled for small deflections."""
    measured: dict[int, SmallDeflections | None] = {}
    for body in dae.tree.bodies:
        # Blocks that have their terms in common measure the same.
        if id(body.terms) not in measured:
            measured[id(body.terms)] = body.block.nominal.small_deflections(body.carried)
    measures = ((i, measured[id(body.terms)]) for i, body in enumerate(dae.tree.bodies))
    return tuple((i, measure) for i, measure in measures if measure is not None)


def coordinates_of(dae: DAE, index: int, x: np.ndarray) -> np.ndarray:
    """Return the coordinates (samples, k) of a body at states (samples, nx), those that are locked included."""
    q = dae.tree.bodies[index].share.gather(x[:, : dae.tree.size].T).T
    for lock in dae.tree.locks:
        value = dae.locked[f"{lock.block}.{lock.coordinate}"]
        for (body, row), factor in lock.factors.items():
            if body == index:
                q[:, row] += factor * value
    return q
