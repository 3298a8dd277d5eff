"""Equilibria followed step by step, from one that is known to another."""

from __future__ import annotations

import casadi as ca
import numpy as np

# Points along the way. A load on a rope that swings round by a radian is off by 1e-4 of its radius between two of
# them, which stretches a steel rope no more than its load does, so that the next correction finds it again.
STEPS = 64
CORRECTIONS = 8  # Newton steps at each point; three or four are usual
BALANCED = 1e-9  # largest residual, relative to the terms of its equation
RANK = 1e-11


def followed(
    function: ca.Function, p: np.ndarray, start: np.ndarray, target: np.ndarray, held: np.ndarray
) -> np.ndarray | None:
    """Return the equilibria (STEPS + 1, ns) on the way from `start` to `target`; None where they end before.

    Parameters
    ----------
    function : casadi.Function
        See `flexblocks.statics.balance.rest`.
    p : ndarray
    start : ndarray (ns,)
        Unknowns of statics, in balance.
    target : ndarray (ns,)
        Where they go; NaN for unknowns that go nowhere by themselves.
    held : ndarray (ns,) of bool
        Unknowns that go straight. The others follow from the balance, as near to their straight way as it allows.
    """
    s, others = start, np.flatnonzero(~held)
    path = [s]
    for step in range(STEPS):
        ahead = np.where(np.isnan(target), 0.0, (target - s) / (STEPS - step))
        for _ in range(CORRECTIONS):
            r, J, _ = (value.full() for value in function(s, p))
            if not (np.isfinite(J).all() and np.isfinite(r).all()):
                return None
            # Nearest to the straight step among those that keep the balance.
            with np.errstate(over="ignore", invalid="ignore"):  # far beyond what any arm bears: the path ends there
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
