"""Characteristic magnitudes of states and inputs: the steps in which a linear model is tried."""

from __future__ import annotations

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.linear.forms.linear_system import LinearSystem

# A tenth of a radian is a distinctly different posture, and so is a hundredth of a metre for most flexible arms.
COORDINATES, RATE = {"rad": 0.1, "m": 0.01}, 10.0


def characteristic_magnitudes(dae: DAE, lin: LinearSystem) -> np.ndarray:
    """Return a step (k + nu,) of characteristic size for each independent state and input, in its unit.

    Rates are ten times coordinates; everything else a tenth of its value, at least 0.1. Steps of coordinates stay
    within half the distance to the end of their range.
    """
    d = len(lin.structure.coordinates)
    coordinates = np.array([COORDINATES.get(unit, 0.1) for unit in lin.state_units[:d]])
    others = np.concatenate([lin.state_values[2 * d :], lin.operating_point.u])
    usual = np.concatenate([coordinates, RATE * coordinates, np.maximum(0.1 * np.abs(others), 0.1)])
    low, high = margins(dae, lin)
    return np.minimum(usual, np.minimum(-low, high) / 2)


def margins(dae: DAE, lin: LinearSystem) -> tuple[np.ndarray, np.ndarray]:
    """Return the margins (k + nu,) down and up of each independent state and input to the ends of its range."""
    q = lin.operating_point.x[: dae.tree.size]
    low, high = np.full(len(q), -np.inf), np.full(len(q), np.inf)
    for body in dae.tree.bodies:
        for row, variable in enumerate(body.block.coordinates()):
            columns, factors = body.share.row(row)
            if len(columns) == 1:
                i, factor = columns[0], factors[0]
                ends = sorted(end / factor - q[i] for end in (variable.low, variable.high))
                low[i], high[i] = max(low[i], ends[0]), min(high[i], ends[1])
    chosen = [dae.q_names.index(name) for name in lin.structure.coordinates]
    rest = np.full(len(lin.states) + len(lin.inputs) - len(chosen), np.inf)
    return np.concatenate([low[chosen], -rest]), np.concatenate([high[chosen], rest])
