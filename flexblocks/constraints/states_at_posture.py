"""States that start at what the posture makes of them, such as the length that an ideal cylinder is commanded to."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.element_forces import element_values


def with_states_at_posture(dae: DAE, x: np.ndarray, p: np.ndarray, named: Collection[str] = ()) -> np.ndarray:
    """Return the states (nx,) with those that follow the posture at the start where they belong, unless `named`."""
    x, values = x.copy(), _at_posture(dae)(*dae.posture(x, dae.z.start, p)).full().ravel()
    for value, i in zip(values, dae.tree.states_at_outputs, strict=True):
        if dae.x.names[i] not in named:
            x[i] = value
    return x


def start_at_posture(dae: DAE) -> DAE:
    """Return the DAE whose start values of such states are those at its start posture."""
    if not dae.tree.states_at_outputs:
        return dae
    start = with_states_at_posture(dae, dae.x.start, dae.p.start)
    return replace(dae, x=replace(dae.x, start=start))


def named_states(dae: DAE, values: object) -> Collection[str]:
    """Return the names of the states that a user's values set: of a dict its own, of an array all, of None none."""
    if values is None:
        return ()
    return tuple(values) if isinstance(values, Mapping) else dae.x.names


@lru_cache(maxsize=16)
def _at_posture(dae: DAE) -> ca.Function:
    """Return the function of the posture -> the outputs at which these states start."""
    x, z, u, first = dae.x.symbol, dae.z.symbol, dae.u.symbol, 2 * dae.tree.size
    of_elements = element_values(dae.tree, "outputs", x, z, dae.tree.block_inputs(x, z, u))
    values = [
        of_elements[element.name][list(element.terms.physics.outputs).index(output)]
        for i, output in dae.tree.states_at_outputs.items()
        for element in dae.tree.elements
        if element.w.start <= i - first < element.w.stop
    ]
    return ca.Function("start", [*dae.posture_symbols], [ca.densify(ca.vertcat(*values))])
