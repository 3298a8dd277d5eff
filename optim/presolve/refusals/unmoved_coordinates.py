"""Coordinates that no input moves, by the structure of the equations of motion."""

from __future__ import annotations

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import listing
from flexblocks.libraries import scipy

from ...errors import ProblemError
from ...tolerances import RESIDUE, ROUNDING
from ..transcribed_problem import TranscribedProblem


def check_moved(transcribed: TranscribedProblem) -> None:
    """Refuse a motion from rest to rest that moves what no input acts on, not even by way of other coordinates.

    The plane of a beam in which no joint turns it stays in balance: a load that is picked up sets it swinging, and no
    motion before that can bend it so. Only the balance of the next load requires that.
    """
    dae, n = transcribed.dae, transcribed.dae.tree.size
    if (
        dae.u.with_role("disturbance")
        or len(dae.x) > 2 * n
        or len(dae.z)
        or dae.tree.loops.closures
        or dae.tree.prescribed
    ):
        return
    for begin, end in ((run[0].begin, run[0].end) for run in transcribed.runs):
        if not (begin.is_known_rest and end.is_known_rest) or end.open:
            continue
        start, goal = (each.point.x[:n] for each in (begin, end))
        changed = np.abs(goal - start) > RESIDUE * np.maximum(np.abs(start), np.abs(goal)) + ROUNDING
        stuck = np.flatnonzero(changed & ~_moved(dae)) if changed.any() else []
        if len(stuck):
            names = [f"{dae.q_names[i]} from {start[i]:.4g} to {goal[i]:.4g}" for i in stuck]
            raise ProblemError(
                f"plan: goal: no input moves {listing(names)}: neither a drive nor the motion of other coordinates "
                'acts there. End in the balance of the same load (balance="own"), or drive what is to be moved.'
            )


def _moved(dae: DAE) -> np.ndarray:
    """Return which coordinates inputs act on, directly or by way of equations that coordinates have in common (n,)."""
    n = dae.tree.size
    sizes = n, n, n, len(dae.u), len(dae.p)
    q, v, a, u, p = (ca.SX.sym(name, size) for name, size in zip("qvaup", sizes, strict=True))
    residual = dae.inverse_dynamics(q, v, a, p) - dae.input_force(ca.vertcat(q, v), u, p)
    pushed = ca.jacobian_sparsity(residual, u)
    coupled = [ca.jacobian_sparsity(residual, motion) for motion in (q, v, a)]
    rows, columns = (np.concatenate([getattr(each, part)() for each in coupled]) for part in ("row", "get_col"))
    graph = scipy.sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=(n, n))
    _, group = scipy.sparse.csgraph.connected_components(graph, directed=False)
    return np.isin(group, group[np.unique(pushed.row())])
