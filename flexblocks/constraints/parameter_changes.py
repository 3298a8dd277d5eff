"""Parameters that change while an arm moves: loads taken up in a plastic impact or released, loops that would open."""

from __future__ import annotations

import numpy as np

from flexblocks.constraints.loop_equations import closure_equations, closure_slopes, gap
from flexblocks.constraints.loop_newton import RANK
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.at_posture.mass_matrix import mass_at_posture, solve_scaled
from flexblocks.libraries import scipy

# Share of the inertia that a change has to exceed, and what loops may be open by.
ROUNDING, RESIDUE = 1e-9, 1e-6


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


def after_change(dae: DAE, x: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Return the states after a change of parameters: loads taken up are at rest, those released go on as they move.

    Each parameter by itself: first those are changed that lower the inertia, with continuous rates, then the others,
    with the impact of a load at rest.
    """
    less = before.copy()
    for k in np.flatnonzero(before != after):
        alone = before.copy()
        alone[k] = after[k]
        grows, shrinks = inertia_change(dae, x[: dae.tree.size], before, alone)
        if shrinks and not grows:
            less[k] = after[k]
    return x if np.array_equal(less, after) else after_impact(dae, x, less, after)


def inertia_change(dae: DAE, q: np.ndarray, before: np.ndarray, after: np.ndarray) -> tuple[bool, bool]:
    """Return whether inertia grows in some direction of motion, and whether it shrinks in some.

    In the posture `q` (n,), from the parameters `before` (np,) to those `after`.
    """
    M, other = dae.mass_matrix(q, before).full(), dae.mass_matrix(q, after).full()
    # Pins of linkages and the like move no mass by themselves.
    size = np.sqrt(np.maximum(np.diag(M), np.diag(other)))
    unit = np.divide(1.0, size, out=np.zeros_like(size), where=size > 0)
    change = np.linalg.eigvalsh(unit[:, None] * (other - M) * unit)
    return bool(change.max() > ROUNDING), bool(change.min() < -ROUNDING)


def opens_loops(dae: DAE, q: np.ndarray, before: np.ndarray, after: np.ndarray, moves: bool) -> bool:
    """Whether a change of parameters opens loops in the posture `q` (n,), or if the arm `moves`, through it."""
    if not dae.tree.loops.closures:
        return False
    gaps = [gap(closure_equations(dae), q, values) for values in (before, after)]
    if min(gaps) <= RESIDUE < max(gaps):
        return True
    if not moves or max(gaps) > RESIDUE:
        return False
    old, new = (closure_slopes(dae, q, values) for values in (before, after))
    rates = scipy.linalg.null_space(old, rcond=RANK)
    return bool(np.abs((new - old) @ rates).max(initial=0.0) > RESIDUE * np.abs(old).max())


def _free_motions(dae: DAE, q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return a basis (n, f) of the rates that keep loops closed and prescribed coordinates at rest."""
    rows, unit = np.eye(dae.tree.size)[list(dae.tree.prescribed_columns)], np.ones(dae.tree.size)
    if dae.tree.loops.closures:
        rows, unit = np.vstack([rows, closure_slopes(dae, q, p)]), closure_equations(dae).unit
    return unit[:, None] * scipy.linalg.null_space(rows, rcond=RANK) if len(rows) else np.eye(dae.tree.size)
