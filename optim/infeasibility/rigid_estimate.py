"""Rigid estimate of a conflict: the limits that the rigid arm would exceed on a quintic, where no solve converges."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..presolve.phase_transcription import PhaseTranscription
from ..presolve.rigid_motion.rigid_arm import rigid_inputs
from ..presolve.rigid_motion.waypoint_spline import spline_through
from ..presolve.transcribed_problem import TranscribedProblem
from .conflict import Conflict, Side

POINTS = 81  # along each phase
# A quintic needs 1.875 times the mean rate and 1.44 times the least torque of a rigid arm: what exceeds a limit by less
# might be kept on another motion.
HARDER = 1.05


def rigid_estimate(transcribed: TranscribedProblem, task: str, remarks: list[str]) -> Conflict | None:
    """Return the limits that the equivalent rigid arm exceeds on quintics, the most exceeded first; None if none."""
    sides, begin = [], 0.0
    for t in transcribed.first:
        sides += _of_phase(t, begin)
        begin += _longest(t)
    if not sides:
        return None
    sides.sort(key=lambda side: -side.excess / (abs(side.limit) or 1.0))
    return Conflict(tuple(sides), (), task, tuple(remarks), estimated=True)


def _of_phase(t: PhaseTranscription, begin: float) -> Iterator[Side]:
    dae, n, T = t.dae, t.dae.tree.size, _longest(t)
    shares = np.linspace(0.0, 1.0, POINTS)
    states = spline_through(t.waypoints, n, T)
    x = states(shares)
    v, a = states.derivative()(shares) / T, states.derivative(2)(shares)[:, :n] / T**2
    z = t.start.z + shares[:, None] * (t.goal.z - t.start.z)
    u = rigid_inputs(dae, t.start, t.problem.start, x[:, :n], v[:, :n], x[:, 2 * n :], a, z)
    du = np.gradient(u, shares * T, axis=0)
    rates = [f"der({name})" for name in dae.u.names]
    groups = (
        (dae.x.names, dae.x.units, np.hstack([x[:, :n], v[:, :n], x[:, 2 * n :]]), t.limits.x),
        (dae.u.names, dae.u.units, u, t.limits.u),
        (rates, [f"{unit}/s" for unit in dae.u.units], du, t.limits.du),
    )
    for names, units, values, limits in groups:
        for name, unit, along, (low, high) in zip(names, units, values.T, limits, strict=True):
            for limit, beyond in ((high, along - high), (low, low - along)):
                if not np.isfinite(limit) or not beyond.max() > (HARDER - 1) * abs(limit):
                    continue
                times = begin + T * shares[beyond > 0]
                yield Side(name, unit, float(limit), float(times[0]), float(times[-1]), float(beyond.max()))


def _longest(t: PhaseTranscription) -> float:
    """Return the longest duration of a phase that is allowed [s], or the guess of a free one."""
    return t.mesh.duration if t.duration_range is None else t.duration_range[1]
