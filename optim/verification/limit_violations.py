"""Limit violations of a simulated motion, at every instant."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexblocks.libraries import scipy
from flexblocks.simulation.trajectory import Trajectory

from ..model.violations import Violation
from ..presolve.path_values import PathValues
from ..problem.signals.instant import instant_rows
from ..tolerances import RESIDUE


def limit_violations(
    path: PathValues,
    ranges: Mapping[str, tuple[float, float]],
    motion: Trajectory,
    inputs: Mapping[str, scipy.interpolate.PPoly],
    p: np.ndarray,
    begin: float = 0.0,
) -> tuple[Violation, ...]:
    """Return the limits violated by more than 1e-6, each once with its largest violation, worst first.

    Parameters
    ----------
    path : PathValues
        Limited outputs, distances from regions, expressions.
    ranges : dict of (float, float)
        Limits; only those of states are checked, as those of inputs hold by construction.
    motion : Trajectory
        A simulated motion, its times from 0.
    inputs : dict of PPoly
        Its inputs.
    p : ndarray (np,)
    begin : float
        Offset added to the reported times [s].
    """
    limits = {name: limit for name, limit in ranges.items() if name in path.dae.x}
    values = [*(motion[name] for name in limits), *values_along(path, motion, inputs, p).T]
    low, high = np.array([*limits.values(), *zip(path.low, path.high, strict=True)]).reshape(-1, 2).T
    violations = []
    for i, (name, value, least, most) in enumerate(zip((*limits, *path.names), values, low, high, strict=True)):
        beyond = np.maximum(least - value, value - most)
        worst = int(np.argmax(beyond))
        if beyond[worst] > RESIDUE:
            amount = beyond[worst] if i < len(limits) else path.rows[i - len(limits)].beyond(beyond[worst])
            violations.append(Violation(name, float(amount), begin + float(motion.t[worst])))
    return tuple(sorted(violations, key=lambda violation: -violation.amount))


def values_along(
    path: PathValues, motion: Trajectory, inputs: Mapping[str, scipy.interpolate.PPoly], p: np.ndarray
) -> np.ndarray:
    """Return the path values (times, m) along a simulated motion, with accelerations from forward dynamics."""
    dae, count = path.dae, len(motion.t)
    if not len(path):
        return np.zeros((count, 0))
    n, times = dae.tree.size, motion.t
    functions, more = dae.interpreted, [motion.z.T] if len(dae.z) else []
    rates = np.array(functions.forward_dynamics(motion.x.T, motion.u.T, p, *more)).reshape(len(dae.x), count)[n:]
    within = [np.clip(times, inputs[name].x[0], inputs[name].x[-1]) for name in dae.u.names]
    du = [inputs[name].derivative()(at) for name, at in zip(dae.u.names, within, strict=True)]
    forces = (
        np.array(functions.multipliers(motion.x.T, motion.u.T, p, *more))
        if dae.tree.loops.closures
        else np.zeros((0, count))
    )
    y = instant_rows(
        dae, x=motion.x.T, a=rates[:n], dw=rates[n:], z=motion.z.T, f=forces, u=motion.u.T, du=np.array(du), time=times
    )
    return np.array(path.function(y, p)).reshape(len(path), count).T
