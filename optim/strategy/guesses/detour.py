"""Detour: an initial guess that avoids obstacles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexblocks.libraries import scipy

from ...errors import ProblemError
from ...presolve.bounds import no_limits
from ...presolve.equilibrium import joint_motions
from ...presolve.phase_transcription import PhaseTranscription
from ...presolve.postures.admissible import Admissible
from ...presolve.postures.inverse_statics import posture
from ...presolve.rigid_motion.quasi_static_path import driven_names, follows_from_balance
from ...presolve.rigid_motion.waypoint_spline import Waypoint, waypoint_spline
from ...problem.signals.instant import instant_rows

# Postures sampled about the middle of the motion, a power of two for Sobol sampling; of these, how many are tried with
# a second one where none clears the obstacles, a second or two of work; half width of their distribution [rad or
# lengths of the arm]; and points along the motion at which a detour is judged. By trial.
TRIES, SEEDS, SPREAD, POINTS = 128, 8, 2.5, 81


def detour(t: PhaseTranscription, seeds: int = SEEDS) -> tuple[Waypoint, ...]:
    """Return the sampled waypoint whose motion violates the path constraints least, or two if none clears them.

    Of several that are clear the nearest is taken. They lie in the longest stretch between waypoints. Of two, one is
    among the `seeds` best.
    """
    # The longest stretch, and the null motions of the arm
    n, waypoints = t.dae.tree.size, t.waypoints
    gaps = np.diff([share for share, _ in waypoints])
    longest = int(np.argmax(gaps))
    (before, from_), (after, to) = waypoints[longest], waypoints[longest + 1]
    start = t.start
    size, ways = joint_motions(t.dae, start)
    # Sobol samples around its middle, judged by path violation, then by distance
    middle = (from_ + to) / 2
    spread = SPREAD * (2 * scipy.stats.qmc.Sobol(ways.shape[1], scramble=False).random(TRIES) - 1)
    candidates = np.tile(middle, (TRIES, 1))
    candidates[:, :n] += size * (spread @ ways.T)
    candidates = np.clip(candidates, t.limits.x[:, 0], t.limits.x[:, 1])

    def through(*states: np.ndarray) -> tuple[Waypoint, ...]:
        shares = before + (after - before) * np.arange(1, len(states) + 1) / (len(states) + 1)
        return tuple(zip(shares.tolist(), states, strict=True))

    def passed(*states: np.ndarray) -> tuple[Waypoint, ...]:
        return through(*(_balanced(t, x) for x in states))

    def excess(detours: tuple[Waypoint, ...]) -> float:
        return _excess(t, (*waypoints[: longest + 1], *detours, *waypoints[longest + 1 :]), POINTS)

    one = [max(excess(through(x)), 0.0) for x in candidates]
    nearest = np.lexsort((np.linalg.norm(spread, axis=1), one))
    if one[nearest[0]] <= 0:
        return passed(candidates[nearest[0]])
    # Around two corners: each of the best with every other, before or after it
    pairs = [pair for i in nearest[:seeds] for j in range(len(candidates)) for pair in ((i, j), (j, i)) if i != j]
    two = [max(excess(through(*candidates[list(pair)])), 0.0) for pair in pairs]
    longer = [
        float(np.linalg.norm(np.vstack([spread[list(pair)], np.diff(spread[list(pair)], axis=0)]))) for pair in pairs
    ]
    best = int(np.lexsort(np.array([longer, two]))[0]) if pairs else 0
    if pairs and two[best] < one[nearest[0]]:
        return passed(*candidates[list(pairs[best])])
    return passed(candidates[nearest[0]])


def _balanced(t: PhaseTranscription, x: np.ndarray) -> np.ndarray:
    """Return the equilibrium with the same driven coordinates, where ropes, cylinders or loops need balance.

    Where there is none, the state as it is: a rope that is 10 cm too short pulls with tons.
    """
    dae, start = t.dae, t.start
    driven = {name: float(x[dae.q_names.index(name)]) for name in driven_names(dae, t.problem, t.phase)}
    if not driven or not follows_from_balance(dae):
        return x
    admissible = Admissible(replace(no_limits(dae), x=t.limits.x))  # the arm passes in motion
    try:
        return posture(dae, driven, replace(start, x=x), admissible, "plan: detour").point.x
    except ProblemError:
        return x


def _excess(t: PhaseTranscription, waypoints: tuple[Waypoint, ...], points: int) -> float:
    """Return the largest path violation along the spline through `waypoints`."""
    dae, n, T = t.dae, t.dae.tree.size, t.mesh.duration
    shares = np.linspace(0.0, 1.0, points)
    x = waypoint_spline(dae, t.start.p, waypoints, T)
    states = np.hstack([x(shares)[:, :n], x.derivative()(shares)[:, :n] / T, x(shares)[:, 2 * n :]])
    rows = instant_rows(dae, x=states.T, a=x.derivative(2)(shares)[:, :n].T / T**2, time=shares * T)
    values = np.array(t.path.function(rows, t.p)).T
    return float(t.path.excess(values).max(initial=0.0))
