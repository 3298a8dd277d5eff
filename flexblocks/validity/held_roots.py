"""Roots of beams that nothing lets turn, where modes of a beam that is pinned at both ends have no bending moment."""

from __future__ import annotations

from collections.abc import Iterator

import casadi as ca
import numpy as np

from flexblocks.beam.assumed_modes import AssumedModes
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.frame_motions import frame_motion

TURNS = {"y": 2, "z": 1}  # the axis of the root about which bending along this one turns it
SEEN = 1e-9  # of a radian a radian: a joint that turns a root about this axis at all


def remarks_on_held_roots(dae: DAE) -> Iterator[str]:
    """Yield a remark on each beam of pinned modes whose root is mounted, or turns about other axes only.

    Sines have no curvature at their ends, and so no bending moment: they converge as 1/n where there is most of it.
    """
    tree = dae.tree
    pinned = [i for i, body in enumerate(tree.bodies) if _is_pinned(body.block.nominal)]
    if not pinned:
        return
    rates = ca.SX.sym("v", tree.size)
    spins = [frame_motion(tree, f"{tree.bodies[i].name}.frame_a", dae.q, rates).omega for i in pinned]
    at = dae.posture(dae.x.start, dae.z.start, dae.p.start)
    slopes = ca.Function("turns", [*dae.posture_symbols], [ca.jacobian(spin, rates) for spin in spins]).call([*at])
    for index, slope in zip(pinned, slopes, strict=True):
        body = tree.bodies[index]
        turned = np.abs(slope.full()).max(axis=1, initial=0.0)
        if any(turned[TURNS[axis]] < SEEN for axis in body.block.nominal.planes):
            chosen = body.block.nominal.discretization
            yield (
                f"{body.block.where}: {chosen!r} has no bending moment at the root, which nothing lets turn here: its "
                f"first frequency on a wall is off by a share of 0.4/{chosen.n}. Take tip='auto', or FiniteElements(n)."
            )


def _is_pinned(block: object) -> bool:
    chosen = getattr(block, "discretization", None)
    return isinstance(chosen, AssumedModes) and chosen.tip == "pinned"
