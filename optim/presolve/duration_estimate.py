"""How long a motion of free duration may take, judged by the arm as if it were rigid."""

from __future__ import annotations

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.statics.operating_point import OperatingPoint

from ..problem.phase import Phase
from ..problem.problem import Problem
from ..problem.validation import Duration
from .bounds import Limits
from .rigid_arm import quintic, rigid_inputs

SHORTEST, LONGEST, TRIED = 1e-3, 1e3, 240  # s; 6 % from one to the next
POINTS = 41
WIDTH = 10.0  # of the automatic range, either way


def estimated_duration(
    dae: DAE, problem: Problem, phase: Phase, limits: Limits, start: OperatingPoint, goal: OperatingPoint
) -> float:
    """Return the duration [s] of a phase at which a quintic of the rigid arm serves the problem's objective best.

    It keeps the limits on rates, inputs and rates of inputs; where no duration does, it comes nearest to them.
    """
    low, high = (SHORTEST, LONGEST) if isinstance(phase.duration, str) else np.ravel(phase.duration)
    durations = np.geomspace(low, high, TRIED)
    v, u, du = _quintics(dae, problem, start, goal, durations)
    n = dae.tree.size
    excess = np.max([_excess(v, limits.x[n : 2 * n]), _excess(u, limits.u), _excess(du, limits.du)], axis=0)
    # Rows in order of what matters first: keeping the limits, then the objective, then the shorter time.
    best = np.lexsort((durations, _value(problem, durations, u, du), np.maximum(excess, 0.0)))[0]
    return float(durations[best])


def duration_range(given: Duration, estimate: float) -> tuple[float, float] | None:
    """Return (low, high) [s] of a free duration, None for a fixed one."""
    if isinstance(given, tuple):
        return given
    return (estimate / WIDTH, estimate * WIDTH) if given == "free" else None


def _quintics(
    dae: DAE, problem: Problem, start: OperatingPoint, goal: OperatingPoint, durations: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rates of coordinates, inputs and their rates (durations, points, .) of the quintics."""
    n, step = dae.tree.size, goal.x - start.x
    times = np.linspace(0.0, 1.0, POINTS) * durations[:, None]
    share, rate, acceleration = (part.reshape(-1, 1) for part in quintic(times, durations[:, None]))
    x = start.x + share * step
    v = rate * step[:n]
    z = start.z + share * (goal.z - start.z)
    u = rigid_inputs(dae, start, problem.start, x[:, :n], v, x[:, 2 * n :], acceleration * step[:n], z)
    u = u.reshape(*times.shape, -1)
    du = np.gradient(u, 1.0 / (POINTS - 1), axis=1) / durations[:, None, None]
    return v.reshape(*times.shape, -1), u, du


def _excess(values: np.ndarray, limits: np.ndarray) -> np.ndarray:
    """Return by how much, relative to the limit, each motion goes beyond its limits (durations,); negative within."""
    low, high = limits.T
    with np.errstate(invalid="ignore", divide="ignore"):
        above, below = values / high - 1, values / low - 1
    above = np.where(high > 0, above, values - high)
    below = np.where(low < 0, below, low - values)
    return np.max(np.maximum(above, below), axis=(1, 2), initial=-1.0)


def _value(problem: Problem, durations: np.ndarray, u: np.ndarray, du: np.ndarray) -> np.ndarray:
    """Return the objective (durations,) as far as it can be told from a rigid arm."""
    objective, derivatives = problem.objective, (u, du)
    weights = {order: weight for order, weight in objective.input_weights.items() if order < len(derivatives)}
    power = sum(weight * np.sum(derivatives[order] ** 2, axis=2) for order, weight in weights.items())
    value = objective.time_weight * durations
    return value + durations * np.trapezoid(power, dx=1.0 / (POINTS - 1), axis=1) if weights else value
