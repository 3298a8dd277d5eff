"""Arms in a chain, and what several tests do with them."""

from __future__ import annotations

import casadi as ca
import numpy as np
from scipy.integrate import solve_ivp

import flexblocks as fb

G = 9.81


def chain(*blocks: fb.Block, gravity=(0.0, -G, 0.0)) -> fb.Model:
    """Return an arm of blocks on the ground, each on the frame_b of the one before."""
    model = fb.Model("chain", gravity)
    place = model.add(fb.Ground("ground")).frame_b
    for block in blocks:
        model.add(block)
        model.connect(place, block.frame_a)
        if "frame_b" in {spec.name for spec in block.ports}:
            place = block.frame_b
    return model


def values(matrix: ca.DM) -> np.ndarray:
    return np.squeeze(matrix.full())


def motion(dae: fb.DAE, x0: list[float], times: np.ndarray, u=()) -> np.ndarray:
    """Return the states (nx, nt) by an integrator that knows nothing of arms."""
    found = solve_ivp(
        lambda _, x: dae.forward_dynamics(x, u, []).full().ravel(),
        (0.0, times[-1]),
        x0,
        method="DOP853",
        t_eval=times,
        rtol=1e-11,
        atol=1e-12,
    )
    return found.y
