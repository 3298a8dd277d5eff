"""References in motion: the states that are rates of other states have these along a path, which knows none of rest."""

from __future__ import annotations

from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.generalized_forces import state_rates

# States along a path, and their first two derivatives in the share of the way.
Motion = tuple[np.ndarray, np.ndarray, np.ndarray]


def with_reference_rates(dae: DAE, motion: Motion, duration: float) -> Motion:
    """Return the states (..., nx) of a motion in a `duration` [s], where references that are integrated have rates.

    At rest these are zero, so a path through postures leaves them there. What a reference is the integral of moves as
    the path moves the reference.
    """
    pairs = _integrals(dae)
    if not pairs:
        return motion
    x, rates, accelerations = (part.copy() for part in motion)
    for state, rate in pairs:
        x[..., rate], rates[..., rate] = rates[..., state] / duration, accelerations[..., state] / duration
        accelerations[..., rate] = 0.0
    return x, rates, accelerations


@lru_cache(maxsize=16)
def _integrals(dae: DAE) -> tuple[tuple[int, int], ...]:
    """Return which states of control laws are integrals of others, by number: (state, its rate)."""
    first = 2 * dae.tree.size
    own = {name: first + i for i, name in enumerate(dae.x.names[first:]) if i not in dae.tree.first_order}
    symbols = {dae.x.symbol[i].element_hash(): i for i in own.values()}
    rates = state_rates(dae.tree, dae.x.symbol, dae.z.symbol, dae.u.symbol)
    found = ((i, ca.densify(rates[i - first])) for i in own.values())
    return tuple((i, symbols[rate.element_hash()]) for i, rate in found if rate.element_hash() in symbols)
