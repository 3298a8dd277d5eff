"""Start values of the arm's coordinates, of which gears and rigid couplings make several blocks' one."""

from __future__ import annotations

import math

from flexblocks.errors import ModelError
from flexblocks.modeling.spanning_tree import Topology

SAME = 1e-9  # relative difference of start values that is rounding of a ratio


def start_values(name: str, plan: Topology) -> dict[tuple[str, str], float]:
    """Return the start value of each coordinate of the arm `name`, by (block, coordinate).

    Zero is the default of a start value: a coordinate that several blocks share starts at the one that was set.

    Raises
    ------
    ModelError
        Blocks that share a coordinate were given start values that contradict each other, or one that is held at zero
        another one.
    """
    starts: dict[tuple[str, str], float] = {}
    givers: dict[tuple[str, str], str] = {}
    for block, node in plan.nodes.items():
        for c in node.block.coordinates():
            shared, what = plan.shared[block, c.name], f"{block}.{c.name} = {c.start:g} {c.unit}"
            if shared.owner is None:
                if c.start and shared.lock is None:
                    raise ModelError(
                        f"Model '{name}': {what} at the start, where a fixed flange holds it at 0. Leave out the start "
                        "value, or hold it there by locked= when the arm is assembled."
                    )
                continue
            value, before = c.start / shared.factor, starts.setdefault(shared.owner, 0.0)
            if not value:
                continue
            if before and not math.isclose(value, before, rel_tol=SAME):
                raise ModelError(
                    f"Model '{name}': {givers[shared.owner]} and {what} at the start contradict each other: gears or "
                    f"rigid couplings make {block}.{c.name} = {shared.factor:g} {'.'.join(shared.owner)}. Set one of "
                    "them; the other follows."
                )
            starts[shared.owner], givers[shared.owner] = value, what
    return starts
