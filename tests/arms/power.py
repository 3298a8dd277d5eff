"""Power balance of an arm at one instant, by the slopes of its energy."""

from __future__ import annotations

import casadi as ca
import numpy as np

import flexblocks as fb


def energy_rate(dae: fb.DAE, x: np.ndarray, u: np.ndarray) -> float:
    """Return the rate at which kinetic and potential energy grow [W]."""
    slopes = ca.Function("slopes", [dae.x.symbol], [ca.gradient(sum(dae.energy(dae.x.symbol, [])), dae.x.symbol)])
    return float(ca.dot(slopes(x), dae.forward_dynamics(x, u, [])))


def output_rate(dae: fb.DAE, name: str, x: np.ndarray, u: np.ndarray) -> float:
    """Return the rate of an output that no input enters, as a length."""
    i = dae.y.index(name)
    slope = ca.Function("slope", [dae.x.symbol], [ca.gradient(dae.output(dae.x.symbol, u, [])[i], dae.x.symbol)])
    return float(ca.dot(slope(x), dae.forward_dynamics(x, u, [])))
