"""Detour: an initial guess that avoids obstacles."""

from __future__ import annotations

import numpy as np
from scipy.stats import qmc

from flexblocks.statics.balance import rest as balance
from flexblocks.statics.balance import unknown_vector

from ..presolve.equilibrium import loop_forces, slow_motions
from ..presolve.phase_transcription import PhaseTranscription
from ..presolve.rigid_motion.rigid_arm import Waypoint, spline_through
from ..problem.signals.instant import instant_rows
from .settings import Settings


def detour(t: PhaseTranscription, settings: Settings) -> Waypoint:
    """Return the sampled waypoint whose motion violates the path constraints least; of several the nearest.

    It lies at the middle of the longest stretch between waypoints.
    """
    # The longest stretch, and the null motions of the arm
    n, waypoints = t.dae.tree.size, t.waypoints
    gaps = np.diff([share for share, _ in waypoints])
    longest = int(np.argmax(gaps))
    (before, from_), (after, to) = waypoints[longest], waypoints[longest + 1]
    start = t.start
    s = unknown_vector(t.dae, start.x, start.z, loop_forces(t.dae, start), start.u)
    ways = slow_motions(balance(t.dae)(s, t.start.p)[1].full(), n)
    # Sobol samples around its middle, judged by path violation, then by distance
    middle = (from_ + to) / 2
    spread = settings.detour_spread * (2 * qmc.Sobol(ways.shape[1], scramble=False).random(settings.detour_tries) - 1)
    candidates = np.tile(middle, (settings.detour_tries, 1))
    candidates[:, :n] += spread @ ways.T
    tried = [((before + after) / 2, np.clip(x, t.limits.x[:, 0], t.limits.x[:, 1])) for x in candidates]
    excess = [
        _excess(t, (*waypoints[: longest + 1], one, *waypoints[longest + 1 :]), settings.detour_points) for one in tried
    ]
    length = np.linalg.norm(spread, axis=1)
    return tried[int(np.lexsort((length, np.maximum(excess, 0.0)))[0])]


def _excess(t: PhaseTranscription, waypoints: tuple[Waypoint, ...], points: int) -> float:
    """Return the largest path violation along the spline through `waypoints`."""
    dae, n, T = t.dae, t.dae.tree.size, t.mesh.duration
    shares = np.linspace(0.0, 1.0, points)
    x = spline_through(waypoints, n, T)
    states = np.hstack([x(shares)[:, :n], x.derivative()(shares)[:, :n] / T, x(shares)[:, 2 * n :]])
    rows = instant_rows(dae, x=states.T, a=x.derivative(2)(shares)[:, :n].T / T**2, time=shares * T)
    values = np.array(t.path.function(rows, t.p)).T
    return float(t.path.excess(values).max(initial=0.0))
