"""Change points that a run passes: postures in which several motions of the loops go on, as of a parallelogram in line.

There the closures lose rank, and which of the motions a run takes is decided by rounding: its result is one of several.
Along a motion that passes such a point an orientation flips, that of the closures' slopes J (m, n) with the motions N
(n - m, n) that they leave, the sign of det [J; N], with N turned along from sample to sample (the test for bifurcations
of numerical continuation; Allgower & Georg 1990, section 8.1). Where another motion goes on than the one that arrived,
it need not flip, but the smallest singular value of J comes down to zero along a line, and goes up along another one.
"""

from __future__ import annotations

import numpy as np

from flexblocks.constraints.loop_equations import closure_equations
from flexblocks.constraints.loop_newton import RANK
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.tree.charts import chart_functions
from flexblocks.errors import listing

# Of two samples, how much of the volume of the motions N must be left in those of the next: beyond, samples are too far
# apart to tell how these turn.
TURNED = 0.1
CHUNK = 500  # samples that are looked at together: matrices of as many fit into memory
# Where two such lines meet zero at the same time, as a share of two samples: as of a singular value that comes within a
# third of what it changes by from sample to sample.
MEET = 0.05


def change_points(dae: DAE, t: np.ndarray, x: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return the times (k,) [s] at which a sampled motion, states (samples, nx), has just passed a change point.

    Samples must be so near to each other that they show the motion. None are told of arms whose attitudes change their
    coordinates on the way, nor where loops decide for one another how they go on.
    """
    if len(x) < 2 or chart_functions(dae.tree) or _is_decided(dae, x[0], p):
        return np.zeros(0)
    size, flips = np.zeros(len(x)), np.zeros(len(x), dtype=bool)
    for first in range(0, len(x) - 1, CHUNK):
        part = slice(first, first + CHUNK + 1)  # the last sample is the first of the next
        left, sizes, right = np.linalg.svd(_slopes(dae, x[part], p))
        motions = right[:, left.shape[1] :]
        orientation = np.linalg.det(left) * np.linalg.det(right)
        turned = np.linalg.det(motions[1:] @ motions[:-1].swapaxes(1, 2))
        size[part] = sizes[:, -1]
        flips[part][1:] = (np.abs(turned) > TURNED) & (orientation[1:] * orientation[:-1] * turned < 0)
    return t[np.union1d(np.flatnonzero(flips), _at_zero(t, size))]


def _is_decided(dae: DAE, x: np.ndarray, p: np.ndarray) -> bool:
    """Whether loops that depend on each other, as of three parallel cranks, decide how all go on, or there are none.

    Where they did not, they would come open: see `open_loops`.
    """
    equations, kept = closure_equations(dae), len(dae.tree.loops.multipliers)
    slopes = equations.mismatch(x[: dae.tree.size], p)[1].full() * equations.unit
    ranks = [np.linalg.matrix_rank(of_cut, RANK) for of_cut in slopes.reshape(-1, 12, dae.tree.size)]
    return not kept or sum(ranks) > kept


def _slopes(dae: DAE, x: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return the slopes (samples, m, n) of the closures, lengths in those of the loops."""
    equations, n, count = closure_equations(dae), dae.tree.size, len(x)
    slopes = equations.closures.map(count)(x[:, :n].T, np.tile(p, (count, 1)).T)[1].full()
    J = slopes.reshape(len(slopes), count, n).swapaxes(0, 1) * equations.unit
    J[:, np.array([unit == "N" for unit in dae.tree.loops.units], dtype=bool)] /= equations.length
    return J


def _at_zero(t: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Return the samples after which a size (samples,) >= 0 has come down to zero and goes up again."""
    i = 2 + np.flatnonzero((size[2:-2] <= size[1:-3]) & (size[2:-2] <= size[3:-1])) if len(t) > 4 else np.zeros(0, int)
    down, up = size[i - 2] - size[i - 1], size[i + 2] - size[i + 1]
    i, down, up = (each[(down > 0) & (up > 0)] for each in (i, down, up))
    arrives = t[i - 1] + size[i - 1] * (t[i - 1] - t[i - 2]) / down
    leaves = t[i + 1] - size[i + 1] * (t[i + 2] - t[i + 1]) / up
    meet = np.abs(arrives - leaves) < MEET * (t[i + 1] - t[i - 1])
    return i[meet] + 1


def passed_words(times: np.ndarray) -> str:
    """Return what a run says of the change points that it has passed before these times [s]."""
    at = listing([f"{time:.4g}" for time in times], 3)
    return (
        f"its loops pass a change point at about t = {at} s, where they do not determine how they move on (links in "
        "line): which of several motions goes on is decided by rounding, and may be another with other tolerances. "
        "Other lengths decide it, or a second linkage out of step."
    )
