"""Start points of inverse statics: postures along the quasi-static motions, and with joints turned back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.geometry import bending
from flexblocks.libraries import scipy
from flexblocks.statics.operating_point import OperatingPoint

from ..equilibrium import accompanying_motion, joint_motions, turning

TRIES = 32  # start points around the preferred posture, a power of two for Sobol sampling; by trial
INSIDE = 0.9  # share of the way to a limit that a start point goes; by trial
SPREAD = 2.5  # rad or lengths of the arm, half width of their distribution: 0.8 of a turn of each joint in all


def start_points(
    dae: DAE,
    near: OperatingPoint,
    start: np.ndarray,
    limits: tuple[np.ndarray, np.ndarray],
    held: Sequence[int] = (),
) -> list[np.ndarray]:
    """Return start points (ns,) of the search: the posture displaced along its quasi-static motions.

    Parameters
    ----------
    dae : DAE
    near : OperatingPoint
    start : ndarray (ns,)
        The unknowns of statics at `near`.
    limits : (ndarray, ndarray)
        Of the unknowns.
    held : sequence of int
        Coordinates that stay where they are: of few start points in many directions none may be near.
    """
    n = dae.tree.size
    size, ways = joint_motions(dae, near, held)
    # The value of a slack rope does not show which way it is taut: so from where the arm was drawn, too.
    w = dae.x.start[2 * n :]
    drawn = [np.concatenate([dae.x.start[:n], w, start[n + len(w) :]])] if len(w) else []
    if not ways.shape[1]:
        return [start, *drawn]
    # Two start points close to the posture (5 %): the posture itself may be singular, as a stretched arm is.
    spread = SPREAD * (2 * scipy.stats.qmc.Sobol(ways.shape[1], scramble=False).random(TRIES) - 1)
    starts = drawn
    for c in np.vstack([0.05 * spread[:2], spread]):
        x = start.copy()
        x[:n] += size * (ways @ c)
        # Not at a limit: there a sliding beam is all the way in, and infinitely stiff.
        within = np.clip(x, *limits)
        starts.append(np.where(within == x, x, start + INSIDE * (within - start)))
    return starts


def unwound(dae: DAE, near: OperatingPoint, start: np.ndarray, best: np.ndarray) -> list[np.ndarray]:
    """Return the posture with joints turned back by whole turns that are more than half a turn away: all, then each.

    What follows the joint turn by turn, as its rotor does, is turned with it.
    """
    n, turn, others, whole = dae.tree.size, 2 * np.pi, [], best.copy()
    for i in np.flatnonzero(turning(dae) & ~bending(dae)[:n]):
        turns = np.round((best[i] - start[i]) / turn)
        if turns:
            follow = np.round(accompanying_motion(dae, near, {dae.q_names[i]: 0.0})[:, 0])
            follow[~turning(dae)] = 0.0
            back = best.copy()
            back[:n] -= turn * turns * follow
            # A joint that its rotor has taken back already is not turned again
            whole[:n] -= turn * np.round((whole[i] - start[i]) / turn) * follow
            others.append(back)
    return [whole, *others] if len(others) > 1 else others
