"""Violations between collocation points: the planned polynomials against path constraints and limits of states.

The solver holds them at the points alone. Between two points a fast motion can pass a thin obstacle unseen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model.dense_output import dense_output
from ..model.read_solution import input_polynomials
from ..model.trajectories import PhaseTrajectory, phase_trajectories
from ..model.violations import Violation
from ..problem.path_constraints.path_constraint import size_of

SAMPLES = 16  # per interval, and again around each of the
CLOSEST = 8  # closest approaches of every value
NOTABLE = 0.01  # of the size of what is violated: a path bent around an obstacle exceeds it by less; by trial


def violations_between_points(model: Any) -> tuple[Violation, ...]:
    """Return the path constraints and limits of states that a solved plan violates between collocation points.

    Each once with its largest violation, worst first, and only violations by more than 1 % of the size of what is
    violated: an obstacle's inradius, half the distance of two limits, the magnitude of a single limit; without any of
    these, such as for a half-space, the range of the value along the motion.

    Parameters
    ----------
    model : ConcreteModel
        Of `pyomo_model`, solved.
    """
    worst: dict[str, Violation] = {}
    for run in phase_trajectories(model):
        begin = 0.0
        for traj in run:
            for violation in _of_phase(traj, begin):
                before = worst.get(violation.name)
                if before is None or violation.amount > before.amount:
                    worst[violation.name] = violation
            begin += traj.mesh.duration
    return tuple(sorted(worst.values(), key=lambda violation: -violation.amount))


def _of_phase(traj: PhaseTrajectory, begin: float) -> list[Violation]:
    t, mesh = traj.transcription, traj.mesh
    ranges = {name: ends for name, ends in t.problem.ranges_in(t.phase).items() if name in t.dae.x}
    if not ranges and not len(t.path):
        return []
    inputs = input_polynomials(traj)
    low, high = np.array([*ranges.values(), *zip(t.path.low, t.path.high, strict=True)]).reshape(-1, 2).T
    states = [t.dae.x.names.index(name) for name in ranges]

    def values(times: np.ndarray) -> np.ndarray:
        """Return the limited values (m, T); the states come first in an instant."""
        rows = dense_output(traj, inputs, times)
        path = np.array(t.path.function(rows, traj.p)).reshape(len(t.path), -1) if len(t.path) else rows[:0]
        return np.concatenate([rows[states], path])

    # Evenly in every interval, then closer around the places where the bounds are nearest or exceeded most
    shares = np.arange(SAMPLES) / SAMPLES
    times = np.append((mesh.times[:-1, None] + mesh.steps[:, None] * shares).ravel(), mesh.duration)
    evenly = values(times)
    beyond = np.maximum(low[:, None] - evenly, evenly - high[:, None])
    near = np.unique(np.concatenate([_highest(row) for row in beyond]))
    steps = np.linspace(-1.0, 1.0, 2 * SAMPLES + 1) * (mesh.steps.max() / SAMPLES)
    closer = np.clip(times[near][:, None] + steps, 0.0, mesh.duration).ravel()
    times, along = np.append(times, closer), np.concatenate([evenly, values(closer)], axis=1)

    beyond = np.maximum(low[:, None] - along, along - high[:, None])
    sizes = [size_of(*ends) for ends in ranges.values()]
    sizes += [one.size(row) for one, row in zip(t.path.constraints, t.path.rows, strict=True)]
    violations = []
    named = zip((*ranges, *t.path.names), beyond, along, sizes, strict=True)
    for i, (name, row, value, size) in enumerate(named):
        worst = int(np.argmax(row))
        if row[worst] > NOTABLE * (size if np.isfinite(size) and size > 0 else np.ptp(value)):
            amount = row[worst] if i < len(ranges) else t.path.rows[i - len(ranges)].beyond(row[worst])
            violations.append(Violation(name, float(amount), begin + float(times[worst])))
    return violations


def _highest(row: np.ndarray) -> np.ndarray:
    """Return the places of the highest local maxima of samples."""
    padded = np.concatenate([[-np.inf], row, [-np.inf]])
    peaks = np.flatnonzero((row >= padded[:-2]) & (row >= padded[2:]))
    return peaks[np.argsort(row[peaks])[-CLOSEST:]]
