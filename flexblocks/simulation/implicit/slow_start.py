"""Start on the slow manifold: rates with which a stiff arm begins to move without vibrating.

Rates that keep loops closed and have the least kinetic energy put most of it into vibrations, where bars are stiff and
light. Those on the slow manifold bend and twist as little as the motion allows: they have the least elastic power, v'
K v with the stiffness matrix K, and among these the least kinetic energy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.simulation.implicit.differences import Differences
from flexblocks.simulation.implicit.displacements import Displacements

# What kinetic energy counts beside elastic power [1/s2], so that coordinates without stiffness have rates, too.
OF_INERTIA = 1e-3
# Coordinates that neither bend anything nor move mass of their own, such as joints at a cut, are scaled as if they did.
ROUNDING = 1e-12


def on_slow_manifold(
    dae: DAE,
    x: np.ndarray,
    z: np.ndarray,
    u: np.ndarray,
    p: np.ndarray,
    held: Sequence[int],
    displacements: Displacements,
) -> np.ndarray:
    """Return a state x (nx,) with rates on the slow manifold.

    Parameters
    ----------
    dae : DAE
    x, z, u, p : ndarray
        A consistent state, algebraic variables, inputs and parameters.
    held : sequence of int
        Coordinates whose rates are kept: those that a user has given, and prescribed ones.
    displacements : Displacements
    """
    n, N, at_rest = dae.tree.size, len(x) - dae.tree.size, x.copy()
    at_rest[n : 2 * n] = 0.0
    columns = list(dae.tree.prescribed_columns)
    motion = np.concatenate([x[:n][columns], np.zeros(len(columns))])
    m = len(dae.expressions.closing_tree.loops.multipliers)
    point = [at_rest, np.zeros(N), np.zeros(m), z, u, motion, p, np.zeros(1)]
    of_states = np.maximum(np.abs(x[2 * n :]), 1.0)
    unit = np.concatenate([displacements.reach / displacements.weight, of_states])
    differences = Differences(dae.interpreted.residual, point, n, unit)
    K, M = differences.along(1.0, 0.0, 0.0)[:n, :n], differences.along(0.0, 0.0, 1.0)[:n, :n]
    K, J = (K + K.T) / 2, differences.along(0.0, 1.0, 0.0)[N : N + m, :n]
    kept = np.array(sorted(set(held)), dtype=int)
    free = np.setdiff1d(np.arange(n), kept)
    v = np.zeros(n)
    v[kept] = x[n : 2 * n][kept]
    A = (K + OF_INERTIA * M)[np.ix_(free, free)]
    stiffness = np.abs(np.diag(A))
    scale = np.sqrt(np.maximum(stiffness, ROUNDING * max(stiffness.max(initial=0.0), 1.0)))
    C = J[:, free] / scale
    whole = np.block([[A / np.outer(scale, scale), C.T], [C, np.zeros((m, m))]])
    right = np.concatenate([-(K + OF_INERTIA * M)[np.ix_(free, kept)] @ v[kept] / scale, -J @ v])
    v[free] = np.linalg.lstsq(whole, right, rcond=1e-13)[0][: len(free)] / scale
    slow = x.copy()
    slow[n : 2 * n] = v
    return slow
