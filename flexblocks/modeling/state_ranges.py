"""Ranges of the states of an arm, from those that its blocks declare."""

from __future__ import annotations

from flexblocks.errors import ModelError
from flexblocks.interfaces import StateRange
from flexblocks.modeling.spanning_tree import Topology


def state_ranges(plan: Topology) -> dict[str, StateRange]:
    """Return the ranges of the arm's states by name; a coordinate that blocks share keeps those of all of them.

    A coordinate that is locked or held is no state and has none.

    Raises
    ------
    ModelError
        Blocks that share a coordinate have ranges of it without a value in common.
    """
    ranges: dict[str, StateRange] = {}
    for name in plan.order:
        block = plan.blocks[name]
        declared = block.state_ranges()
        states = {state: (f"{name}.{state}", 1.0) for state in declared}
        for c in block.coordinates() if declared else ():
            shared = plan.shared[name, c.name]
            owner = ".".join(shared.owner) if shared.owner else None
            states |= {c.name: (owner, shared.factor), f"der({c.name})": (owner and f"der({owner})", shared.factor)}
        for state, bound in declared.items():
            place, factor = states[state]
            if place is not None:
                ranges[place] = common = bound.over(factor).within(ranges.get(place))
                if common.low > common.high:
                    raise ModelError(
                        f"{block.where}: its limits and those of the joints that gears or rigid couplings join with it "
                        f"leave nothing: low = {common.low:g}, high = {common.high:g} for {place}. Change those of one."
                    )
    return ranges
