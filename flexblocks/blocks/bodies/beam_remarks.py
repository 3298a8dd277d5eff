"""Remarks on beams whose discretisation is left out, or does not suit what they carry."""

from __future__ import annotations

from collections.abc import Sequence

from flexblocks.beam.discretization import Discretization
from flexblocks.beam.kinematics.beam import BeamDeformation
from flexblocks.beam.tip_mismatch import tip_mismatch

# A frequency that is off by more is worth a word: modes of a free tip miss by 3 % under any mass alone.
MISMATCH = 0.1


def silently_rigid(where: str) -> str:
    """Return the remark on a beam without a discretisation."""
    return (
        f"{where} has no discretization, so it does not bend; pass one, such as discretization=fb.AssumedModes(3, "
        "tip='auto') or fb.FiniteElements(2), or discretization=fb.Rigid() if that is meant."
    )


def free_tip(
    where: str, chosen: Discretization, suited: Discretization, bending: Sequence[BeamDeformation]
) -> tuple[str, ...]:
    """Return the remark on modes of a free tip that carries a body, if a frequency is off by much."""
    off = [tip_mismatch(chosen, suited, each, each.tip) for each in bending]
    worst = max((float(each[i]), i) for each in off for i in range(len(each)))
    if worst[0] < MISMATCH:
        return ()
    return (
        f"{where}: {chosen!r} has modes of a free tip, and the beam carries a body there: frequency "
        f"{worst[1] + 1} of the clamped beam is off by {100 * worst[0]:.0f} %. Take {suited!r}, which is made for "
        "what it carries, or fb.FiniteElements(n); tip=fb.TipBody(0.0) is a free tip that is meant.",
    )
