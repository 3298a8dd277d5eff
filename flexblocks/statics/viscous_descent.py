"""Viscous descent: where an arm sinks to in a fluid so thick that it has no momentum."""

from __future__ import annotations

import itertools

import numpy as np

from flexblocks.libraries import scipy
from flexblocks.statics.problem import Statics

# Time of the descent in a viscous fluid, M q' = -h [s2]: all but the slowest motions settle, by trial, and the search
# for a root finishes the rest.
SINKING_TIME = 100.0
# Evaluations of its velocity; a few hundred are usual. An arm that is driven round and round never settles.
SINKING = 3000


class _NotSettled(Exception):
    """A viscous descent continues."""


def sunk(problem: Statics) -> np.ndarray:
    """Return the end of a viscous descent M q' = -h of the free coordinates, with the others and the inputs held.

    It descends in energy all the way, to a point near a root of the forces or to the end of a coordinate's range. The
    root search alone can fail for a slender arm, which sags so far that its stiffness at the start says little.
    """
    n = problem.size
    free = np.flatnonzero(problem.free[:n])
    if not free.size:
        return problem.start
    mobility = np.linalg.inv(problem.mass[np.ix_(free, free)])

    def full(q: np.ndarray) -> np.ndarray:
        s = problem.start.copy()
        s[free] = q
        return s

    def room(t: float, q: np.ndarray) -> float:
        return float(np.min(np.minimum(q - problem.low[free], problem.high[free] - q)))

    room.terminal = True  # pyright: ignore[reportFunctionMemberAccess]
    latest, left = problem.start[free], itertools.count(SINKING, -1)

    def velocity(t: float, q: np.ndarray) -> np.ndarray:
        nonlocal latest
        latest = q
        if not next(left):
            raise _NotSettled
        return -mobility @ problem.residual(full(q))[free]

    try:
        result = scipy.integrate.solve_ivp(
            velocity,
            (0.0, SINKING_TIME),
            problem.start[free],
            method="BDF",
            jac=lambda t, q: -mobility @ problem.evaluated(full(q))[1][np.ix_(free, free)],
            events=room if np.isfinite(room(0.0, problem.start[free])) else None,
        )
    except _NotSettled:
        return problem.in_reach(full(latest))
    return problem.in_reach(full(result.y[:, -1]))
