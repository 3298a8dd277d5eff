"""Motions that can be animated: trajectories, plans, replays, modes of linear models, arms at rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError
from flexblocks.geometry import shape
from flexblocks.linear.constraint_tangent import tangent
from flexblocks.linear.linear_model import LinearModel
from flexblocks.linear.mode import Mode
from flexblocks.plot.animation.run import Run, Samples, run
from flexblocks.plot.animation.signals import signals
from flexblocks.simulation.trajectory import Trajectory
from flexblocks.statics.operating_point import OperatingPoint

if TYPE_CHECKING:
    from flexblocks.optim import Plan

FRAMES_OF_MODE = 48  # of a cycle
SWING = 0.07  # largest displacement of a mode, in units of the arm's size: to be seen, and still like the linear motion
MOST_MODES = 12


def up_of(dae: DAE) -> np.ndarray:
    """Return the direction (3,) away from gravity, as the arm was built; z without any."""
    g = dae.tree.gravity_at(dae.p.start)
    return -g / np.linalg.norm(g) if np.linalg.norm(g) else np.array([0.0, 0.0, 1.0])


def motion_run(
    motion: Trajectory,
    dae: DAE,
    label: str,
    frames: int,
    triangles: int,
    limits: Mapping[str, tuple[float, float]] | None = None,
) -> Run:
    """Return the run of a trajectory: of all its samples, or of `frames` of them, evenly spaced in time."""
    rows = np.flatnonzero(np.isfinite(motion.x).all(axis=1))
    if len(rows) > frames:
        wanted = np.linspace(motion.t[rows[0]], motion.t[rows[-1]], frames)
        rows = np.unique(rows[np.clip(np.searchsorted(motion.t[rows], wanted), 0, len(rows) - 1)])
    p = dae.p.values({name: value for name, value in motion.p.items() if name in dae.p}, "plot.animate: p: ")
    if motion.changes:
        p = np.repeat(p[:, None], len(rows), axis=1)
        for name, values in zip(motion.p, motion.parameters_at(motion.t[rows]), strict=True):
            if name in dae.p:
                p[dae.p.index(name)] = values
    samples = Samples(motion.t[rows], motion.x[rows], motion.z[rows], motion.u[rows], p)
    return run(dae, label, "motion", samples, up_of(dae), triangles, signals(motion, rows, limits))


def posture_run(dae: DAE, point: OperatingPoint | None, label: str, triangles: int) -> Run:
    """Return the run of an arm that stands still: at an operating point, or at its start values."""
    x, z, u, p = (group.start for group in (dae.x, dae.z, dae.u, dae.p))
    if point is not None:
        x, z, u, p = point.x, point.z, point.u, point.p
    samples = Samples(np.zeros(1), x[None], z[None], u[None], p)
    return run(dae, label, "posture", samples, up_of(dae), triangles)


def mode_runs(lin: LinearModel, dae: DAE, number: int | None, triangles: int) -> list[Run]:
    """Return the runs of one mode, or of all oscillating ones, the slowest first.

    Raises
    ------
    ParameterError
        No such mode.
    """
    modes = list(lin.modes())
    if number is not None and (not isinstance(number, int) or not 1 <= number <= len(modes)):
        raise ParameterError(f"plot.animate: mode = {number!r}; must be a whole number from 1 to {len(modes)}.")
    moving = [i for i, mode in enumerate(modes, 1) if np.linalg.norm(mode.shape) > 0]
    elastic = [i for i in moving if modes[i - 1].eigenvalue.imag != 0]
    chosen = [number] if number is not None else (elastic or moving)[:MOST_MODES]
    return [_mode_run(lin, dae, modes[i - 1], f"mode {i}: {modes[i - 1].motion}", triangles) for i in chosen]


def _mode_run(lin: LinearModel, dae: DAE, mode: Mode, label: str, triangles: int) -> Run:
    """Return a cycle of a mode about the operating point; real and imaginary part of its shape a quarter apart."""
    point, n = lin.operating_point, dae.tree.size
    to_q = tangent(dae, point, np.zeros(n)).q
    directions = [to_q @ part for part in (np.real(mode.shape), np.imag(mode.shape))]
    outline = shape(dae)
    still = outline(point.x, point.p)
    reach = float(np.linalg.norm(np.ptp(np.concatenate(list(still.values())), axis=0)))
    travel = 0.0
    for direction in directions:
        step = 1e-5 / max(np.abs(direction).max(initial=0.0), 1e-300)
        ahead = outline(_moved(point.x, step * direction), point.p)
        travel = max([travel, *(np.linalg.norm(ahead[k] - still[k], axis=1).max(initial=0.0) / step for k in still)])
    amplitude = SWING * reach / travel if travel > 0 and np.isfinite(travel) else 0.0
    phase = np.linspace(0.0, 1.0, FRAMES_OF_MODE + 1)
    waves = np.cos(2 * np.pi * phase), -np.sin(2 * np.pi * phase)
    motion = sum(np.outer(wave, direction) for wave, direction in zip(waves, directions, strict=True))
    x = np.tile(point.x, (len(phase), 1))
    x[:, :n] += amplitude * motion
    x[:, n : 2 * n] = 0.0
    z, u = (np.tile(values, (len(phase), 1)) for values in (point.z, point.u))
    samples = Samples(phase, x, z, u, point.p)
    return run(dae, label, "mode", samples, up_of(dae), triangles)


def _moved(x: np.ndarray, by: np.ndarray) -> np.ndarray:
    moved = x.copy()
    moved[: len(by)] += by
    return moved


def plan_limits(plan: Plan) -> dict[str, tuple[float, float]]:
    """Return the limits of a plan that are the same in all phases, by name."""
    limits: dict[str, set[tuple[float, float]]] = {}
    for t in plan.transcribed.first:
        in_phase = dict(plan.transcribed.problem.ranges_in(t.phase))
        for group, bounds in ((t.dae.x, t.limits.x), (t.dae.u, t.limits.u)):
            in_phase |= {name: (low, high) for name, (low, high) in zip(group.names, bounds.tolist(), strict=True)}
        for name, limit in in_phase.items():
            limits.setdefault(name, set()).add((float(limit[0]), float(limit[1])))
    return {name: next(iter(bounds)) for name, bounds in limits.items() if len(bounds) == 1}
