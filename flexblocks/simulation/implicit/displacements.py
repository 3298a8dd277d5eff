"""Displacements of an arm's points by its coordinates, in which errors of all of them are measured alike."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.kinematics import motions, outlet_motion

# Postures beside the first, so that an arm that starts folded or stretched is measured otherwise, too: how far angles
# and other coordinates are moved in each.
POSTURES, ANGLE, OTHERS = 3, 0.5, 0.01
# A coordinate that moves no point, such as a rotor's, counts as one that moves a point at this share of the reach.
LEAST = 0.1


@dataclass(frozen=True, eq=False)
class Displacements:
    """Displacements.

    Attributes
    ----------
    weight : ndarray (n,)
        The largest displacement of a point [m] by a unit of each coordinate.
    reach : float
        Length of the arm [m].
    """

    weight: np.ndarray
    reach: float


def displacements(dae: DAE, x: np.ndarray, z: np.ndarray, p: np.ndarray) -> Displacements:
    """Return the displacements of an arm that starts at a state x (nx,), with algebraic variables z (nz,)."""
    n, slopes = dae.tree.size, _slopes(dae)
    is_angle = np.array([unit == "rad" for unit in dae.x.units[:n]])
    largest, farthest = np.zeros(n), 0.0
    for k in range(POSTURES + 1):
        # A sequence that fills the interval evenly, the same for each run.
        moved = 2 * np.modf(0.618034 * (k * n + np.arange(n)))[0] - 1
        at = x.copy()
        at[:n] += np.where(is_angle, ANGLE, OTHERS) * moved * (k > 0)
        J, places = (np.array(part) for part in slopes(*dae.posture(at, z, p)))
        by_point = np.linalg.norm(J.reshape(-1, 3, n), axis=1)
        if not np.all(np.isfinite(by_point)):
            continue
        largest = np.maximum(largest, by_point.max(axis=0, initial=0.0))
        apart = places.reshape(-1, 3) - places[:3].T
        farthest = max(farthest, float(np.linalg.norm(apart, axis=1).max(initial=0.0)))
    lengths = np.append(largest[is_angle], farthest)
    reach = float(lengths.max()) or 1.0
    return Displacements(np.maximum(largest, np.where(is_angle, LEAST * reach, LEAST)), reach)


@lru_cache(maxsize=32)
def _slopes(dae: DAE) -> ca.Function:
    """Return the function of the posture -> derivatives (3 k, n) of the places of all frames, and these (3 k)."""
    tree, q = dae.tree, dae.q
    still = ca.SX(tree.size, 1)
    inlets = motions(tree, q, still)
    places = [ca.SX(3, 1)]
    for i, body in enumerate(tree.bodies):
        places += [outlet_motion(tree, inlets, i, outlet, q, still)[1] for outlet in body.terms.outlets]
    stacked = ca.densify(ca.vertcat(*places))
    return ca.Function("displacements", [*dae.posture_symbols], [ca.densify(ca.jacobian(stacked, q)), stacked])
