"""Admissible ranges of coordinates, states and outputs: a beam is not pushed all the way in, cylinders have stops."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError


def refuse_out_of_range(dae: DAE, x: np.ndarray, where: str = "") -> None:
    """Refuse states (nx,) out of range.

    Raises
    ------
    ParameterError
        A coordinate is out of the range of its block, or a state that must be positive is not.
    """
    for i in dae.tree.positive_states:
        if not x[i] > 0:
            raise ParameterError(f"{where}{dae.x.names[i]} = {x[i]:g} {dae.x.units[i]}; must be more than 0.")
    for bound in dae.tree.ranges:
        value = float(bound.value(x[: dae.tree.size]))
        if not bound.low <= value <= bound.high:
            raise ParameterError(
                f"{where}{bound.name} = {value:g} {bound.unit}; must be between {bound.low:g} and {bound.high:g} "
                f"{bound.unit}."
            )


def coordinate_bounds(dae: DAE) -> tuple[np.ndarray, np.ndarray]:
    """Return the lower and the upper bounds (n,) of the coordinates; most are infinite."""
    low, high = np.full(dae.tree.size, -np.inf), np.full(dae.tree.size, np.inf)
    for bound in dae.tree.ranges:
        # A coordinate that blocks share, through gears perhaps, keeps the ranges of all of them; a locked one is none.
        for i, factor in zip(bound.columns, bound.factors, strict=True):
            ends = np.sort(np.array([bound.low, bound.high]) / factor)
            low[i], high[i] = max(low[i], ends[0]), min(high[i], ends[1])
    return low, high


def admissible_states(dae: DAE) -> np.ndarray:
    """Return the least and the greatest values (nx, 2) with which the physics of blocks have a meaning."""
    ranges = np.tile([-np.inf, np.inf], (len(dae.x), 1))
    ranges[: dae.tree.size] = np.column_stack(coordinate_bounds(dae))
    ranges[list(dae.tree.positive_states), 0] = 0.0
    return ranges


def output_ranges(dae: DAE, p: np.ndarray) -> dict[str, tuple[float, float]]:
    """Return the ranges of outputs in which their blocks are meant to work, with parameters (np,)."""
    ranges = _output_ranges(dae)
    symbols = ca.vertcat(*(ca.SX(end) for ends in ranges.values() for end in ends))
    numbers = ca.evalf(ca.substitute(symbols, dae.p.symbol, ca.SX(ca.DM(p)))).full()
    return {name: (float(low), float(high)) for name, (low, high) in zip(ranges, numbers.reshape(-1, 2), strict=True)}


def moved_ranges(dae: DAE, parameters: Sequence[int]) -> list[tuple[str, str]]:
    """Return the outputs whose ranges depend on some parameters, each with the name of one of these."""
    moved = []
    for name, ends in _output_ranges(dae).items():
        depends = ca.which_depends(ca.vertcat(*map(ca.SX, ends)), dae.p.symbol, 1, False)
        moved += [(name, dae.p.names[i]) for i in parameters if depends[i]]
    return moved


def _output_ranges(dae: DAE) -> dict[str, tuple[float | ca.SX, float | ca.SX]]:
    blocks = dae.tree.blocks.items()
    return {f"{name}.{output}": ends for name, block in blocks for output, ends in block.output_ranges().items()}


def state_bounds(dae: DAE) -> tuple[np.ndarray, np.ndarray]:
    """Return the lower and the upper bounds (nw,) of the first-order states at rest; most are infinite."""
    low, high = np.full((2, len(dae.x) - 2 * dae.tree.size), np.inf) * [[-1.0], [1.0]]
    for body in dae.tree.bodies:
        for i, state in enumerate(body.block.states(), body.w.start):
            if isinstance(state.high, float):  # not a symbolic parameter
                low[i], high[i] = state.low, state.high
    return low, high
