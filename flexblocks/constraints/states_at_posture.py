"""States that go with the posture: the length that an ideal cylinder is commanded to, the rope on a winch."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dae.expressions import of_same_mass
from flexblocks.dynamics.algorithms.element_forces import element_values


def with_states_at_posture(dae: DAE, x: np.ndarray, p: np.ndarray, named: Collection[str] = ()) -> np.ndarray:
    """Return the states (nx,) with those that follow the posture at the start where they belong, unless `named`."""
    x, values = x.copy(), _at_posture(dae, True)(*dae.posture(x, dae.z.start, p)).full().ravel()
    for value, i in zip(values, dae.tree.states_at_outputs, strict=True):
        if dae.x.names[i] not in named:
            x[i] = value
    return x


def with_following_states(dae: DAE, x: np.ndarray, p: np.ndarray, named: Collection[str] = ()) -> np.ndarray:
    """Return the states (nx,) with those that follow the posture as at the start values, unless `named`.

    Rest is sought from there: a rope that another posture leaves slack by metres gives a search no direction.
    """
    here, before = followed_outputs(dae, np.stack([x, dae.x.start], axis=1), p).T
    ratios = np.divide(here, before, out=np.ones_like(here), where=(here > 0) & (before > 0))
    x = x.copy()
    for ratio, i in zip(ratios, dae.tree.states_following, strict=True):
        if dae.x.names[i] not in named:
            x[i] = dae.x.start[i] * ratio
    return x


def followed_outputs(dae: DAE, x: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return what the following states go with (m, k), at k states (nx, k)."""
    count = x.shape[1]
    z, p = (np.tile(values[:, None], (1, count)) for values in (dae.z.start, p))
    return np.array(_at_posture(dae, False).map(count)(*dae.posture(x, z, p)))


def start_at_posture(dae: DAE) -> DAE:
    """Return the DAE whose start values of such states are those at its start posture."""
    if not dae.tree.states_at_outputs:
        return dae
    start = with_states_at_posture(dae, dae.x.start, dae.p.start)
    return of_same_mass(dae, x=replace(dae.x, start=start))


def named_states(dae: DAE, values: object) -> Collection[str]:
    """Return the names of the states that a user's values set: of a dict its own, of an array all, of None none."""
    if values is None:
        return ()
    return tuple(values) if isinstance(values, Mapping) else dae.x.names


@lru_cache(maxsize=16)
def _at_posture(dae: DAE, starting: bool) -> ca.Function:
    """Return the function of the posture -> the outputs at which states start, or which they follow."""
    states = dae.tree.states_at_outputs if starting else dae.tree.states_following
    x, z, u, first = dae.x.symbol, dae.z.symbol, dae.u.symbol, 2 * dae.tree.size
    of_elements = element_values(dae.tree, "outputs", x, z, dae.tree.block_inputs(x, z, u))
    values = [
        of_elements[element.name][list(element.terms.physics.outputs).index(output)]
        for i, output in states.items()
        for element in dae.tree.elements
        if element.w.start <= i - first < element.w.stop
    ]
    return ca.Function("start", [*dae.posture_symbols], [ca.densify(ca.vertcat(*values))])
