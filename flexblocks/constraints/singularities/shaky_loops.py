"""Shaky loops: closed in single postures only, where to first order they seem to move.

So are two links in line between two fixed pins, and a straight beam that keeps its length between them. The closures
that are independent there let them move, and the others open with the square of that motion: Euler's buckled arch has
no place in a theory in which beams keep their length.
"""

from __future__ import annotations

import numpy as np

from flexblocks.constraints.loop_equations import closure_equations, closure_slopes, gap, mismatches
from flexblocks.constraints.loop_newton import CLOSED, RANK
from flexblocks.dae.dae import DAE
from flexblocks.errors import ModelError, listing

# A motion that is tried [rad, lengths of the loops], and the mismatch that marks loops that it opens: a fraction of its
# square. Roundings of those that stay closed are a thousandth of that.
STEP = 0.01
OPEN = 1e-7
# Directions that are tried: one that happens to be free among others that are not is rare.
DIRECTIONS = 3
NEWTON_STEPS = 12


def refuse_shaky_loops(dae: DAE, q: np.ndarray, p: np.ndarray, rows: np.ndarray) -> None:
    """Refuse loops that open when they move as the independent closures let them.

    Parameters
    ----------
    dae : DAE
        With all closures.
    q : ndarray (n,)
        A closed posture.
    p : ndarray (np,)
    rows : ndarray (k,) of int
        Positions of the independent closures.

    Raises
    ------
    ModelError
    """
    equations, rng = closure_equations(dae), np.random.default_rng(0)
    J = closure_slopes(dae, q, p)[rows]
    _, values, right = np.linalg.svd(J)
    moving = right[int(np.sum(values > RANK * np.max(values, initial=0.0))) :]
    for _ in range(DIRECTIONS):
        along = moving.T @ rng.normal(size=len(moving))
        there = equations.within(q, q + STEP * along / np.max(np.abs(along)) * equations.unit)
        there = _kept_closed(dae, there, p, rows)
        if there is None or gap(equations, there, p) <= OPEN:
            continue
        names = [
            name for name, share in zip(dae.q_names, np.abs(along), strict=True) if share > 0.1 * np.max(np.abs(along))
        ]
        raise ModelError(
            f"Model '{dae.name}': the closed loops let {listing(names, 4)} move to first order only: once moved by "
            f"{STEP:g}, there are {mismatches(dae, there, p)}. Links in line between places that cannot yield, or a "
            "straight beam that keeps its length: let that stretch (axial=True; or modes of tip='pinned'), or let one "
            "end slide."
        )


def _kept_closed(dae: DAE, q: np.ndarray, p: np.ndarray, rows: np.ndarray) -> np.ndarray | None:
    """Return the posture next to `q` (n,) in which the independent closures are zero; None if there is none."""
    equations = closure_equations(dae)
    forces = np.array([unit == "N" for unit in dae.tree.loops.units], dtype=bool)
    size = np.where(forces, equations.length, 1.0)[rows]
    for _ in range(NEWTON_STEPS):
        left = equations.closures(q, p)[0].full().ravel()[rows] / size
        if not np.all(np.isfinite(left)):
            return None
        if np.max(np.abs(left), initial=0.0) <= CLOSED:
            return q
        step = np.linalg.lstsq(closure_slopes(dae, q, p)[rows], -left, rcond=RANK)[0]
        q = equations.within(q, q + step * equations.unit)
    return None
