"""Line guess: a first guess whose points are on the lines that they follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.libraries import scipy

from ...presolve.equilibrium import joint_motions
from ...presolve.phase_transcription import PhaseTranscription
from ...presolve.rigid_motion.quasi_static_path import follows_from_balance
from ...presolve.rigid_motion.waypoint_spline import Waypoint, waypoint_spline
from ...problem.signals.instant import instant_rows

POSTURES = 9  # between start and goal; by trial
INSIDE = 0.2  # share of a tolerance by which the postures are nearer; by trial
OFF = 1.5  # tolerances from its line at most, for this guess to be the best start; by trial: 0.5 yes, 2 and 5 no
STAY = 1e-3  # weight of what a posture is moved [rad or lengths of the arm], so that redundant arms stay near; by trial


@dataclass(frozen=True, eq=False)
class LineGuess:
    """Postures along a line.

    Attributes
    ----------
    postures : tuple of Waypoint
    is_near : bool
        Whether the smooth motion of all states is near to the line, too. Else obstacles are mostly cleared in fewer
        iterations from the motion without them.
    """

    postures: tuple[Waypoint, ...]
    is_near: bool


def postures_on_line(t: PhaseTranscription) -> LineGuess | None:
    """Return postures between start and goal that keep all path constraints at rest; None where there are none.

    Each is the nearest to the smooth motion of all states, among the quasi-static motions of the arm (nonlinear least
    squares). None also without a line to follow; and with ropes, cylinders or loops, whose guess is made of equilibria.
    """
    follows = any(constraint.is_way for constraint in t.path.constraints)
    if not follows or t.passed or follows_from_balance(t.dae):
        return None
    n, start = t.dae.tree.size, t.start
    size, ways = joint_motions(t.dae, start)
    ways = size[:, None] * ways
    tolerances = np.array([c.size(row) for row, c in zip(t.path.rows, t.path.constraints, strict=True)])
    tolerances = np.where(np.isfinite(tolerances) & (tolerances > 0), tolerances, 1.0)
    inside = np.array([INSIDE if constraint.is_way else 0.0 for constraint in t.path.constraints])
    shares = np.linspace(0.0, 1.0, POSTURES + 2)[1:-1]
    smooth = waypoint_spline(t.dae, t.start.p, t.waypoints, t.mesh.duration)(shares)
    smooth[:, n : 2 * n] = 0.0
    off = np.max(_excess(t, smooth, shares)[:, inside > 0] / tolerances[inside > 0])
    waypoints, moved = [], np.zeros(ways.shape[1])
    for share, x in zip(shares.tolist(), smooth, strict=True):

        def beyond(c: np.ndarray, x: np.ndarray = x, share: float = share) -> np.ndarray:
            excess = _excess(t, _moved(x, ways @ c)[None], np.array([share]))[0] / tolerances
            return np.append(np.maximum(excess + inside, 0.0), STAY * c)

        nearest = scipy.optimize.least_squares(beyond, moved)
        moved = nearest.x
        if np.max(beyond(moved)[: len(inside)] - inside) > 0:
            return None
        waypoints.append((share, np.clip(_moved(x, ways @ moved), t.limits.x[:, 0], t.limits.x[:, 1])))
    return LineGuess(tuple(waypoints), bool(off <= (OFF**2 - 1) / 2))


def _excess(t: PhaseTranscription, x: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return by how much each path value is beyond its bounds (k, m), at rest in the states (k, nx)."""
    u, z = (np.tile(part[:, None], (1, len(x))) for part in (t.start.u, t.start.z))
    y = instant_rows(t.dae, x=x.T, u=u, z=z, time=shares * t.mesh.duration)
    return t.path.excess(np.array(t.path.function(y, t.p)).T)


def _moved(x: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Return the states (nx,) with coordinates moved by a step (n,)."""
    there = x.copy()
    there[: len(step)] += step
    return there
