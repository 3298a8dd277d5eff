"""Warm start from another plan: its motion and inputs, on another mesh, in another time or under other loads."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from flexblocks.libraries import scipy

from ..collocation.schemes import Collocation
from ..model.ends.reached_state import set_reached_state
from ..model.initial_guess import set_values
from ..model.path_constraints import set_path_values
from ..model.read_solution import input_polynomials, values
from ..model.trajectories import (
    PhaseTrajectory,
    all_phase_trajectories,
    phase_trajectories,
    transcribed_problem,
    within_bounds,
)
from ..tolerances import ROUNDING
from .scenario_order import place_between, spread_out

AT_ENDS = (*(f"{end}_{kind}" for end in ("start", "goal") for kind in ("inputs", "algebraics", "forces")), "impulses")

MOTION = ("q", "v", "w", "a", "e", "dw", "z", "f")


def start_from(m: Any, source: Any, shared: Collection[str] | None = None) -> None:
    """Warm-start a planner's model from another one of the same phases: set all its free Vars.

    The polynomials of its states and inputs are evaluated, so nothing is lost on a finer mesh. A fixed duration
    stretches the motion; a free one is adopted, as are design parameters. `shared` names the coordinates common to both
    arms, by default all; the others keep their values.

    From other scenarios each starts between the two that are nearest in its parameters, and keeps the difference of its
    first guess from theirs, which the model has to have: under a heavier load ropes are longer, and beams are bent by
    more.
    """
    for name in transcribed_problem(m).problem.design:
        if name in transcribed_problem(source).problem.design:
            m.p[name].set_value(within_bounds(source.p[name]))
    runs, solved = phase_trajectories(m), phase_trajectories(source)
    if len(runs) == len(solved):
        for run, old in zip(runs, solved, strict=True):
            for traj, before in zip(run, old, strict=True):
                _start_phase(traj, before, shared)
    else:
        _start_between(runs, solved)
    _set_what_follows(all_phase_trajectories(m))


def _start_between(runs: Sequence[Sequence[PhaseTrajectory]], solved: Sequence[Sequence[PhaseTrajectory]]) -> None:
    """Set scenarios from other ones, each from those between which it lies."""
    own, other = (run[0][0].transcription.dae.p.names for run in (runs, solved))
    shared = [name for name in own if name in other]
    points, ends = (np.array([_parameters(run[0], shared) for run in each]) for each in (runs, solved))
    spread = spread_out(np.vstack([points, ends]))
    points, ends = spread[: len(runs)], spread[len(runs) :]
    guesses = [[_motion_values(traj) for traj in run] for run in runs]
    mean = [sum(parts) / len(runs) for parts in zip(*guesses, strict=True)]
    alike = [np.flatnonzero(np.all(np.isclose(points, end), axis=1)) for end in ends]
    known = [guesses[same[0]] if same.size else mean for same in alike]
    for run, guess, point in zip(runs, guesses, points, strict=True):
        place = place_between(point, ends)
        for i, traj in enumerate(run):
            motion = guess[i]
            for end, share in ((place.second, place.share), (place.first, 1.0 - place.share)):
                _start_phase(traj, solved[end][i], None)  # the first one's rest and inputs stay
                motion = motion + share * (_motion_values(traj) - known[end][i])
            _set_motion_values(traj, motion)


def _parameters(traj: PhaseTrajectory, names: Sequence[str]) -> list[float]:
    dae, p = traj.transcription.dae, traj.transcription.p
    return [float(p[dae.p.index(name)]) for name in names]


def _motion_values(traj: PhaseTrajectory) -> np.ndarray:
    """Return the values of all Vars of the motion."""
    parts = (getattr(traj.block, part) for part in MOTION)
    return np.concatenate([values(part, len(part)) for part in parts if len(part)])


def _set_motion_values(traj: PhaseTrajectory, motion: np.ndarray) -> None:
    at = 0
    for part in MOTION:
        variables = getattr(traj.block, part)
        set_values(variables, motion[at : at + len(variables)])
        at += len(variables)


def _set_what_follows(trajectories: Sequence[PhaseTrajectory]) -> None:
    """Set what follows from the motion: where last intervals end, and path values."""
    for traj in trajectories:
        if traj.transcription.unresolved.names:
            ends, _ = _motion(traj, traj.mesh.times[-1:])
            set_reached_state(traj.block, traj.transcription, ends[0, : 2 * traj.transcription.dae.tree.size])
        if len(traj.transcription.path):
            set_path_values(traj.block)


def _start_phase(traj: PhaseTrajectory, old: PhaseTrajectory, shared: Collection[str] | None) -> None:
    m, t, source = traj.block, traj.transcription, old.block
    dae, old_dae = t.dae, old.transcription.dae
    before = old.mesh
    if t.duration_range is not None:
        m.T.set_value(float(np.clip(before.duration, *t.duration_range)))
    mesh = traj.mesh
    pace = before.duration / mesh.duration
    n, n_old = dae.tree.size, old_dae.tree.size
    at_mesh, inner = mesh.times * pace, mesh.within(t.scheme.nodes) * pace
    x, _ = _motion(old, at_mesh)
    inside, rates = _motion(old, inner.ravel())
    q, v, w = np.split(x, [n_old, 2 * n_old], axis=1)
    if old.transcription.unresolved.names:  # the last interval does not end at the goal
        q[-1], v[-1] = (values(var, -1, n_old)[-1] for var in (source.q, source.v))
    names = [name for name in dae.q_names if name in (old_dae.q_names if shared is None else shared)]
    here, there = ([names_of.index(name) for name in names] for names_of in (dae.q_names, old_dae.q_names))

    # Motion: polynomials of the collocation at the new points
    def shared_values(var: Any, old_values: np.ndarray) -> np.ndarray:
        merged = values(var, -1, n)
        merged[:, here] = old_values[:, there]
        return merged

    moving = t.static.moving(n).T
    set_values(m.q, shared_values(m.q, q))
    set_values(m.v, shared_values(m.v, pace * v) @ moving)
    set_values(m.w, w)
    set_values(m.a, shared_values(m.a, pace**2 * rates[:, :n_old]) @ moving)
    set_values(m.e, inside[:, there] @ t.static.amounts(n).T[here])
    set_values(m.dw, pace * rates[:, n_old:])
    points = before.within(old.transcription.scheme.nodes).ravel()
    for target, other in ((m.z, source.z), (m.f, source.f)):
        old_values = values(other, len(points), -1) if len(other) else np.zeros((len(points), 0))
        set_values(target, np.array([np.interp(inner.ravel(), points, column) for column in old_values.T]).T)
    for name in AT_ENDS:
        if hasattr(m, name) and hasattr(source, name):
            set_values(getattr(m, name), values(getattr(source, name), -1))
    if t.borrows_inputs:
        return
    # Inputs and their rates at the knots
    inputs = input_polynomials(old)
    middle = (at_mesh[1:] + at_mesh[:-1]) / 2
    times = np.minimum(at_mesh if t.shape.is_continuous else middle, before.duration)
    u = np.array([inputs[name](times) for name in t.dae.u.names]).T
    set_values(m.u, np.clip(u, t.limits.u[:, 0], t.limits.u[:, 1]))
    if t.shape.has_rates:
        du = pace * np.array([inputs[name].derivative()(times) for name in t.dae.u.names]).T
        set_values(m.du, np.clip(du, t.limits.du[:, 0], t.limits.du[:, 1]))


def _motion(traj: PhaseTrajectory, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return states (points, nx), and accelerations with rates of first-order states (points, n + nw), at `times`."""
    source, t, mesh = traj.block, traj.transcription, traj.mesh
    K, d = t.mesh.intervals, t.scheme.degree
    # Accelerations jump at mesh points; a collocation point there is the end of the earlier interval
    k = np.clip(np.searchsorted(mesh.times, times - ROUNDING * mesh.duration) - 1, 0, K - 1)
    h = mesh.steps[k][:, None]
    s = (times - mesh.times[k])[:, None] / h
    a, dw = (values(var, K, d, -1)[k] if len(var) else np.zeros((len(k), d, 0)) for var in (source.a, source.dw))
    begin = (source.q, source.v, source.w)
    q, v, w = (values(var, K + 1, -1)[k] if len(var) else np.zeros((len(k), 0)) for var in begin)
    moving, shapes = t.static.moving(n := t.dae.tree.size), t.static.directions(n)
    q, v = q @ moving.T, v @ moving.T
    shares = [_lagrange(t.scheme, s, order) for order in (0, 1, 2)]

    def summed(order: int, group: np.ndarray) -> np.ndarray:
        return np.einsum("pj,pji->pi", shares[order], group)

    q, v, a = q + h * s * v + h**2 * summed(2, a), v + h * summed(1, a), summed(0, a)
    if t.static.names:
        amplitudes = _static_amplitudes(traj)
        q, v, a = (part + amplitudes(times, order) @ shapes.T for order, part in enumerate((q, v, a)))
    return np.concatenate([q, v, w + h * summed(1, dw)], axis=1), np.concatenate([a, summed(0, dw)], axis=1)


def _static_amplitudes(traj: PhaseTrajectory) -> scipy.interpolate.CubicSpline:
    """Return the amplitudes (k) of the quasi-static modes over time, as a spline through their collocation points.

    It has rates and accelerations, which the equations of such modes leave out: a model that gives them their dynamics
    starts with them moving as they are seen to move, not at standstill.
    """
    b, t, mesh, n = traj.block, traj.transcription, traj.mesh, traj.transcription.dae.tree.size
    at = np.append(0.0, mesh.within(t.scheme.nodes).ravel())
    (begin, _), (first, last) = (values(var, -1, n)[[0, -1]] @ t.static.amounts(n).T for var in (b.q, b.v))
    amplitudes = np.vstack([begin, values(b.e, at.size - 1, -1)])
    later = np.append(True, np.diff(at) > ROUNDING * mesh.duration)  # Lobatto's intervals share their ends
    rates: Any = ((1, first), (1, last))
    return scipy.interpolate.CubicSpline(at[later], amplitudes[later], bc_type=rates)


def _lagrange(scheme: Collocation, s: np.ndarray, order: int) -> np.ndarray:
    """Return the Lagrange polynomials (points, d) of the nodes, integrated `order` times."""
    powers = np.arange(scheme.degree)
    factors = np.linalg.inv(scheme.nodes[:, None] ** powers)
    for i in range(1, order + 1):
        factors = factors / (powers + i)[:, None]
    return s ** (powers + order) @ factors
