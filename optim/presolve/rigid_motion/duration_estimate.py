"""Duration estimate: the duration of a quintic motion of the equivalent rigid arm."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.statics.operating_point import OperatingPoint

from ...problem.objectives.objective import Objective
from ...problem.phase import Phase
from ...problem.problem import Problem
from ...problem.validation import Duration
from ..bounds import Limits, mixes_units, sizes_by_unit
from .driven_states import moving_forces, state_inputs
from .quasi_static_path import balanced_path
from .rigid_arm import POINTS, quintic, rigid_inputs

# Durations to choose from where no range is given [s], 6 % from one to the next.
DURATIONS = 1e-3 * 10 ** (6 / 239 * np.arange(-120, 360))
LONGEST = float(DURATIONS[-1])
COUNT = 240  # of durations within a range
NEXT = 8  # of them from one to the next of those that are tried first, before all about the best of these
WIDTH = 10.0  # factor from the estimate to either bound of the automatic range; by trial


def estimated_duration(
    dae: DAE, problem: Problem, phase: Phase, limits: Limits, start: OperatingPoint, goal: OperatingPoint
) -> float:
    """Return the duration [s] of a phase at which a quintic motion of the rigid arm has the least objective.

    It satisfies the limits on rates, inputs and input rates; if no duration does, it violates them least.
    """
    durations = DURATIONS
    if not isinstance(phase.duration, str):
        low, high = np.ravel(phase.duration)
        durations = np.geomspace(low, high, COUNT)
    n, tried, best, objective = dae.tree.size, np.arange(0, len(durations), NEXT), 0, problem.objective
    for is_sized in (not mixes_units(dae, problem), True):
        v, u, du = _quintics(dae, problem, phase, start, goal, durations[tried])
        excess = np.max([_excess(v, limits.x[n : 2 * n]), _excess(u, limits.u), _excess(du, limits.du)], axis=0)
        excess = np.maximum(excess, 0.0)
        if not is_sized:
            fastest = np.lexsort((durations[tried], excess))[0]
            objective = objective.sized(sizes_by_unit(dae, problem, np.max(np.abs(u[fastest]), axis=0)))
        # Lexicographic: keep the limits, then the objective, then the shorter time (lexsort takes the last key first)
        value = _value(objective, dae.u.names, durations[tried], u, du)
        best = int(tried[np.lexsort((durations[tried], value, excess))[0]])
        tried = np.arange(max(best - NEXT + 1, 0), min(best + NEXT, len(durations)))
    return float(durations[best])


def duration_range(duration: Duration, estimate: float) -> tuple[float, float] | None:
    """Return the bounds (low, high) [s] of a free duration; None for a fixed one."""
    if isinstance(duration, tuple):
        return duration
    return (estimate / WIDTH, estimate * WIDTH) if duration == "free" else None


def _quintics(
    dae: DAE, problem: Problem, phase: Phase, start: OperatingPoint, goal: OperatingPoint, durations: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rates, inputs and input rates (durations, points, .) of the quintic motions."""
    n, count = dae.tree.size, len(durations)
    share, rate, growth = (part[:, None] for part in quintic(np.linspace(0.0, 1.0, POINTS), 1.0))
    path = balanced_path(dae, problem, phase, start, goal)
    if path is None:
        step, bend = goal.x - start.x, 0.0
        x, z = start.x + share * step, start.z + share * (goal.z - start.z)
    else:
        at = np.clip(share[:, 0], 0.0, 1.0)
        x, z, step, bend = path.x(at), path.z(at), path.x.derivative()(at), path.x.derivative(2)(at)
    # Over the fraction of the duration; rates fall with the duration, accelerations with its square
    rates, accelerations = step * rate, bend * rate**2 + step * growth
    pace = 1 / durations[:, None, None]
    v, a = (pace * rates[:, :n]).reshape(-1, n), (pace**2 * accelerations[:, :n]).reshape(-1, n)
    x, z = np.tile(x, (count, 1)), np.tile(z, (count, 1))
    q, w = x[:, :n], x[:, 2 * n :]
    u = rigid_inputs(dae, start, problem.start, q, v, w, a, z)
    if path is not None and w.size:
        extra = moving_forces(dae, start, problem.start, (q, v, w, a), z, u)
        more = np.gradient(extra.reshape(count, POINTS, -1), 1.0 / (POINTS - 1), axis=1)
        dw = pace * (rates[:, 2 * n :] + more)
        u = state_inputs(dae, np.hstack([q, v, w + extra]), z, u, start.p, dw.reshape(w.shape))
    u = u.reshape(count, POINTS, -1)
    du = np.gradient(u, 1.0 / (POINTS - 1), axis=1) * pace
    return v.reshape(count, POINTS, n), u, du


def _excess(values: np.ndarray, limits: np.ndarray) -> np.ndarray:
    """Return the limit violation of each motion relative to the limit (durations,); negative if satisfied."""
    low, high = limits.T
    with np.errstate(invalid="ignore", divide="ignore"):
        above, below = values / high - 1, values / low - 1
    above = np.where(high > 0, above, values - high)
    below = np.where(low < 0, below, low - values)
    return np.max(np.maximum(above, below), axis=(1, 2), initial=-1.0)


def _value(
    objective: Objective, inputs: Sequence[str], durations: np.ndarray, u: np.ndarray, du: np.ndarray
) -> np.ndarray:
    """Return the objective (durations,), as far as it is defined for a rigid arm."""
    derivatives = u, du
    value = objective.time_weight * durations
    orders = [order for order in objective.input_weights(inputs) if order < len(derivatives)]
    if not orders:
        return value
    # Some weights depend on the duration
    weights = [objective.lasting(float(duration)).input_weights(inputs) for duration in durations]
    power = sum(
        np.einsum("dkj,dj->dk", derivatives[order] ** 2, np.array([weight[order] for weight in weights]))
        for order in orders
    )
    return value + durations * np.trapezoid(power, dx=1.0 / (POINTS - 1), axis=1)
