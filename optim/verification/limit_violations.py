"""Limit violations: by how much a motion goes beyond its limits, at every instant of a simulation."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.interpolate import PPoly

from flexblocks.simulation.trajectory import Trajectory

from ..model.violations import Violation
from ..presolve.path_values import PathValues
from ..problem.signals.instant import instant_rows

TOLERANCE = 1e-6


def limit_violations(
    path: PathValues,
    ranges: Mapping[str, tuple[float, float]],
    motion: Trajectory,
    inputs: Mapping[str, PPoly],
    p: np.ndarray,
    begin: float = 0.0,
) -> tuple[Violation, ...]:
    """Return what goes beyond its limits by more than 1e-6, each once with its greatest excess, worst first.

    Parameters
    ----------
    path : PathValues
        Limited outputs, distances from regions, expressions.
    ranges : dict of (float, float)
        Limits, of which those of states are looked at here; those of the inputs hold at every time.
    motion : Trajectory
        A simulated motion, its times from 0.
    inputs : dict of PPoly
        The inputs behind it.
    p : ndarray (np,)
    begin : float
        Added to the times that are told [s].
    """
    limits = {name: limit for name, limit in ranges.items() if name in path.dae.x}
    values = [*(motion[name] for name in limits), *values_along(path, motion, inputs, p).T]
    low, high = np.array([*limits.values(), *zip(path.low, path.high, strict=True)]).reshape(-1, 2).T
    found = []
    for name, own, least, most in zip((*limits, *path.names), values, low, high, strict=True):
        beyond = np.maximum(least - own, own - most)
        worst = int(np.argmax(beyond))
        if beyond[worst] > TOLERANCE:
            found.append(Violation(name, float(beyond[worst]), begin + float(motion.t[worst])))
    return tuple(sorted(found, key=lambda violation: -violation.amount))


def values_along(path: PathValues, motion: Trajectory, inputs: Mapping[str, PPoly], p: np.ndarray) -> np.ndarray:
    """Return the path's values (times, m) along a simulated motion; accelerations are those of the forward dynamics."""
    dae, count = path.dae, len(motion.t)
    if not len(path):
        return np.zeros((count, 0))
    n, times = dae.tree.size, motion.t
    more = [motion.z.T] if len(dae.z) else []
    rates = np.array(dae.forward_dynamics(motion.x.T, motion.u.T, p, *more)).reshape(len(dae.x), count)[n:]
    within = [np.clip(times, inputs[name].x[0], inputs[name].x[-1]) for name in dae.u.names]
    du = [inputs[name].derivative()(at) for name, at in zip(dae.u.names, within, strict=True)]
    forces = (
        np.array(dae.multipliers(motion.x.T, motion.u.T, p, *more)) if dae.tree.loops.closures else np.zeros((0, count))
    )
    y = instant_rows(
        dae, x=motion.x.T, a=rates[:n], dw=rates[n:], z=motion.z.T, f=forces, u=motion.u.T, du=np.array(du), time=times
    )
    return np.array(path.function(y, p)).reshape(len(path), count).T
