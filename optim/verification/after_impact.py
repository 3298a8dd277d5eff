"""The states after a plastic impact, by the motions that closed loops and prescribed coordinates leave."""

from __future__ import annotations

import numpy as np

from flexblocks.constraints.loop_equations import closure_equations, closure_slopes
from flexblocks.constraints.loop_newton import RANK
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.at_posture.mass_matrix import mass_at_posture, solve_scaled
from flexblocks.libraries import scipy


def after_impact(dae: DAE, x: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Return the states after the impact of a load at rest, where parameters change from `before` to `after`.

    Rates change along the motions T that are free, v = v_before + T s, and along these momentum is conserved:
    T' (M v - M_before v_before) = 0. Unlike loop impulses, T also exists where closures depend on each other.
    """
    n = dae.tree.size
    M_before, M = (mass_at_posture(dae.tree, *dae.posture(x, dae.z.start, p)) for p in (before, after))
    v, T = x[n : 2 * n], _free_motions(dae, x[:n], after)
    gained = solve_scaled(T.T @ M @ T, (T.T @ (M_before - M) @ v)[:, None])
    return np.concatenate([x[:n], v + (T @ gained)[:, 0], x[2 * n :]])


def _free_motions(dae: DAE, q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return a basis (n, f) of the rates that keep loops closed and prescribed coordinates at rest."""
    rows, unit = np.eye(dae.tree.size)[list(dae.tree.prescribed_columns)], np.ones(dae.tree.size)
    if dae.tree.loops.closures:
        rows, unit = np.vstack([rows, closure_slopes(dae, q, p)]), closure_equations(dae).unit
    return unit[:, None] * scipy.linalg.null_space(rows, rcond=RANK) if len(rows) else np.eye(dae.tree.size)
