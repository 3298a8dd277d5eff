"""First-order states that settle at once, as the currents of motors do."""

from __future__ import annotations

from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.generalized_forces import state_rates
from flexblocks.statics.operating_point import OperatingPoint

SOON = 0.01  # of the duration of a phase: a third of an interval of 30


def settling_states(dae: DAE, at: OperatingPoint, duration: float) -> tuple[int, ...]:
    """Return the first-order states that follow an input within a hundredth of a duration [s], by their numbers.

    They are as good as inputs there: with an inductance of 1 mH and 1 Ohm a current follows its voltage within 1 ms.
    Ropes on winches, and pressures behind closed valves, stay as they are.
    """
    first = 2 * dae.tree.size
    if len(dae.x) == first:
        return ()
    own, driven = (part.full() for part in _slopes(dae)(at.x, at.z, at.u, at.p))
    settles = (np.diag(own) < -1.0 / (SOON * duration)) & np.any(driven, axis=1)
    return tuple((first + np.flatnonzero(settles)).tolist())


@lru_cache(maxsize=8)
def _slopes(dae: DAE) -> ca.Function:
    """Return the derivatives of the states' rates in the states themselves, and in the inputs."""
    x, z, u, p = dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.p.symbol
    rates = state_rates(dae.tree, x, z, u)
    slopes = [ca.densify(ca.jacobian(rates, x)[:, 2 * dae.tree.size :]), ca.densify(ca.jacobian(rates, u))]
    return ca.Function("slopes", [x, z, u, p], slopes)
