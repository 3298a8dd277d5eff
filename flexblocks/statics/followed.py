"""Equilibria followed step by step, from one that is known to another."""

from __future__ import annotations

import casadi as ca
import numpy as np

from flexblocks.constraints.states_at_posture import followed_outputs
from flexblocks.dae.dae import DAE
from flexblocks.statics.balance import unknown_slices

# Points along the way. A load on a rope that swings round by a radian is off by 1e-4 of its radius between two of
# them, which stretches a steel rope no more than its load does, so that the next correction finds it again.
STEPS = 64
CORRECTIONS = 8  # Newton steps at each point; three or four are usual
BALANCED = 1e-9  # largest residual, relative to the terms of its equation
RANK = 1e-11


def straight_way(start: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return the unknowns of statics (STEPS + 1, ns) on the straight way between two of them."""
    return start + np.linspace(0.0, 1.0, STEPS + 1)[:, None] * (target - start)


def taut_way(dae: DAE, p: np.ndarray, way: np.ndarray) -> np.ndarray:
    """Return a way on which what follows an output, as the rope on a winch what it spans, changes its ratio to that.

    Redundant ropes of straight lengths would be slack or torn between two postures in which they are taut.
    """
    n, at = dae.tree.size, unknown_slices(dae)
    rows = [at.w.start + i - 2 * n for i in dae.tree.states_following]
    x = np.hstack([way[:, at.q], np.zeros((len(way), n)), way[:, at.w]]).T
    spanned = followed_outputs(dae, x, p).T
    taut, ratios = way.copy(), way[[0, -1]][:, rows] / spanned[[0, -1]]
    taut[:, rows] = spanned * np.linspace(ratios[0], ratios[1], len(way))
    return taut


@np.errstate(over="ignore", invalid="ignore")  # far beyond what any arm bears: the path ends there
def followed(
    function: ca.Function, p: np.ndarray, start: np.ndarray, way: np.ndarray, held: np.ndarray
) -> np.ndarray | None:
    """Return the equilibria (STEPS + 1, ns) from `start` on along a way; None where they end before.

    Parameters
    ----------
    function : casadi.Function
        See `flexblocks.statics.balance.rest`.
    p : ndarray
    start : ndarray (ns,)
        Unknowns of statics, in balance.
    way : ndarray (STEPS + 1, ns)
        Where they go; NaN for unknowns that go nowhere by themselves.
    held : ndarray (ns,) of bool
        Unknowns that go that way. The others follow from the balance, as near to it as that allows.
    """
    s, others = start, np.flatnonzero(~held)
    path = [s]
    for step in range(STEPS):
        ahead = way[step + 1] - way[step] + (way[step] - s) / (STEPS - step)
        ahead = np.where(np.isnan(ahead), 0.0, ahead)
        for _ in range(CORRECTIONS):
            r, J, _ = (value.full() for value in function(s, p))
            if not (np.isfinite(J).all() and np.isfinite(r).all()):
                return None
            # Nearest to that step among those that keep the balance.
            missing = r.ravel() + J @ ahead
            size = np.abs(J) @ np.maximum(np.abs(s), 1e-300)
            if not (np.isfinite(missing).all() and np.isfinite(size).all()):
                return None
            row = np.maximum(np.abs(J).max(axis=1, initial=0.0), 1e-300)
            if not ahead.any() and np.all(np.abs(missing) <= BALANCED * (size + 1e-3 * size.max(initial=0.0))):
                break
            scaled = J[:, others] / row[:, None]
            column = np.abs(scaled).max(axis=0, initial=0.0)
            column = np.where(column > 0, column, 1.0)
            s = s + ahead
            s[others] -= np.linalg.lstsq(scaled / column, missing / row, rcond=RANK)[0] / column
            ahead = np.zeros_like(s)
        else:
            return None
        path.append(s)
    return np.array(path)
