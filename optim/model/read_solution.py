"""Solution of a Pyomo model: the trajectory at mesh and collocation points, and the inputs as polynomials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import casadi as ca
import numpy as np
import pyomo.environ as pyo

from flexblocks.dae.dae import DAE
from flexblocks.dae.reference_chains import reference_chains
from flexblocks.libraries import scipy
from flexblocks.simulation.trajectory import ENERGIES, GROUPS, Trajectory

from ..collocation.interval_layout import state_names, state_slices
from ..errors import ProblemError
from .trajectories import PhaseTrajectory


def active_objective(model: Any) -> Any:
    """Return the active objective of a model: the planner's, or the user's replacement."""
    objectives = list(model.component_data_objects(pyo.Objective, active=True))
    if len(objectives) != 1:
        raise ProblemError(
            f"Plan: the model has {len(objectives)} active objectives; must be 1. Deactivate the others."
        )
    return objectives[0]


def values(variables: Any, *shape: int) -> np.ndarray:
    """Return the values of an indexed Var in a shape."""
    return np.array([variable.value for variable in variables.values()], dtype=float).reshape(shape)


def input_polynomials(traj: PhaseTrajectory) -> dict[str, scipy.interpolate.PPoly]:
    """Return the inputs of a phase over its own time [s], by name, exactly as planned."""
    m, t, mesh = traj.block, traj.transcription, traj.mesh
    K, h = mesh.intervals, mesh.steps
    u = values(m.u, -1, len(t.dae.u))
    du = values(m.du, -1, len(t.dae.u)) if t.shape.has_rates else u
    powers = h[:, None] ** -np.arange(t.shape.degree + 1)  # from normalised to real time
    inputs = {}
    for i, name in enumerate(t.dae.u.names):
        knots = [h * du[k.end : k.end + K, i] if k.rate else u[k.end : k.end + K, i] for k in t.shape.knots]
        local = np.array(knots).T @ t.shape.coefficients
        inputs[name] = scipy.interpolate.PPoly((local * powers).T[::-1], mesh.times, extrapolate=False)
    return inputs


def collocated_motion(traj: PhaseTrajectory) -> tuple[np.ndarray, np.ndarray]:
    """Return the states at all collocation points (K, d, nx), and their rates there; quasi-static modes have none."""
    m, t, mesh = traj.block, traj.transcription, traj.mesh
    dae, K, d = t.dae, t.mesh.intervals, t.scheme.degree
    # States at mesh points, and from them those at collocation points by the scheme's integrals
    x = np.concatenate([values(getattr(m, part), K + 1, -1) for part in state_names(dae)], axis=1)
    n, h, A = dae.tree.size, mesh.steps[:, None, None], t.scheme.integral
    q, v, w = (x[:-1, None, where] for where in state_slices(dae).values())
    a, dw = values(m.a, K, d, n), values(m.dw, K, d, -1) if len(m.dw) else np.zeros((K, d, 0))
    along: Any = 0.0
    if t.static.names:
        moving, shapes = t.static.moving(n), t.static.directions(n)
        q, v = q @ moving.T, v @ moving.T
        along = values(m.e, K, d, -1) @ shapes.T
    places = along + q + h * t.scheme.nodes[:, None] * v + h**2 * (t.scheme.double_integral @ a)
    speeds = v + h * (A @ a)
    states = np.concatenate([places, speeds, w + h * (A @ dw)], axis=2)
    return states, np.concatenate([speeds, a, dw], axis=2)


def trajectory(traj: PhaseTrajectory, inputs: dict[str, scipy.interpolate.PPoly], to_goal: bool = True) -> Trajectory:
    """Return the trajectory at the start and all collocation points; the last of each interval is a mesh point.

    It ends at the goal, or not `to_goal` where the last interval does, which is off by modes that are left open.
    """
    t, mesh, p = traj.transcription, traj.mesh, traj.p
    dae, K, d, n, A = t.dae, t.mesh.intervals, t.scheme.degree, t.dae.tree.size, t.scheme.integral
    # All points in sequence after the start, with inputs and algebraic variables
    times = np.append(0.0, mesh.within(t.scheme.nodes).ravel())
    at_mesh = np.concatenate([values(getattr(traj.block, part), K + 1, -1) for part in state_names(dae)], axis=1)
    states = np.vstack([at_mesh[0], collocated_motion(traj)[0].reshape(K * d, -1)])
    if to_goal and t.unresolved.names:
        states[-1] = at_mesh[-1]
    u = np.array([inputs[name](np.minimum(times, mesh.duration)) for name in dae.u.names]).T
    z = _algebraics(traj, states[0], u[0])
    functions, more = dae.interpreted, [z.T] if len(dae.z) else []
    # Work by the same quadrature, energies and outputs
    force = np.array(functions.input_force(states.T, u.T, p, *more))
    power = np.sum(force * states[:, n : 2 * n].T, axis=0)[1:].reshape(K, d)
    work = np.cumsum(np.append(0.0, (mesh.steps[:, None] * (power @ A.T))[:, -1]))
    inner = work[:-1, None] + mesh.steps[:, None] * (power @ A.T)
    energies = functions.energy(states.T, p, *(more if functions.energy.n_in() == 3 else []))
    kinetic, potential = (np.array(e).ravel() for e in energies)
    y = np.array(functions.output(states.T, u.T, p, *more)).reshape(len(dae.y), len(times)).T
    energy = np.column_stack([kinetic, potential, np.append(0.0, inner.ravel())])
    kept = np.append(
        True, np.tile(t.scheme.nodes > 0, K)
    )  # a collocation point at the beginning of an interval duplicates the last
    return Trajectory(
        name=dae.name,
        t=times[kept],
        x=states[kept],
        z=z[kept],
        u=u[kept],
        y=y[kept],
        energy=energy[kept],
        names={key: getattr(dae, key).names for key in "xzuy"} | {"energy": ENERGIES},
        units=_units(dae),
        p=dict(zip(dae.p.names, p.tolist(), strict=True)),
        dae=dae,
    )


def _algebraics(traj: PhaseTrajectory, x: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return the algebraic variables (1 + K d, nz), solved for at the start."""
    m, t = traj.block, traj.transcription
    dae, points = t.dae, t.mesh.intervals * t.scheme.degree
    if not len(dae.z):
        return np.zeros((1 + points, 0))
    later = values(m.z, points, len(dae.z))
    z = dae.z.symbol
    residual = ca.Function("g", [z], dae.interpreted.algebraic.call([x, u, traj.p, z], True, False))
    start = np.array(ca.rootfinder("start", "newton", residual)(later[0])).ravel()
    return np.vstack([start, later])


def _units(dae: DAE) -> dict[str, str]:
    groups = (dae.x, dae.z, dae.u, dae.y)
    units = {name: unit for group in groups for name, unit in zip(group.names, group.units, strict=True)}
    return units | dict.fromkeys(ENERGIES, "J")


def regrouped(
    dae: DAE, motion: Trajectory, known: Mapping[str, scipy.interpolate.PPoly] = MappingProxyType({})
) -> Trajectory:
    """Return a motion in the groups of another DAE of the same arm, by the names of its variables.

    What depends on `known` inputs alone is evaluated over the time of the motion [s]; other inputs are as at the start.
    """
    names = {group: getattr(dae, group).names for group in "xzuy"}
    if all(motion.names[group] == names[group] for group in names):
        return replace(motion, name=dae.name, dae=dae)
    starts = dict(zip(dae.u.names, dae.u.start.tolist(), strict=True))

    def column(group: str, name: str) -> np.ndarray:
        if name in motion.names[group] or (name in motion and name not in known):
            return motion[name]
        if name not in known:
            return np.full(len(motion.t), starts[name])
        polynomial = known[name]
        return polynomial(np.clip(motion.t, polynomial.x[0], polynomial.x[-1]))

    groups = {
        group: np.reshape([column(group, name) for name in names[group]], (-1, len(motion.t))).T for group in names
    }
    units = {
        name: unit for part in (dae.x, dae.z, dae.u, dae.y) for name, unit in zip(part.names, part.units, strict=True)
    }
    return replace(
        motion, name=dae.name, names={**motion.names, **names}, units={**motion.units, **units}, dae=dae, **groups
    )


def joined_trajectory(parts: Sequence[Trajectory]) -> Trajectory:
    """Join consecutive trajectories, each starting at time 0 where the previous one ends.

    At the junctions the values are those of the later trajectory, as at a jump of an input. Work accumulates. Only
    parameters common to all are kept.
    """
    first, *rest = parts
    if not rest:
        return first
    begins = np.cumsum([0.0, *(part.t[-1] for part in parts[:-1])])
    energies, work = [], 0.0
    for part in parts:
        energy = part.energy.copy()
        energy[:, ENERGIES.index("work")] += work
        work = energy[-1, ENERGIES.index("work")]
        energies.append(energy)
    groups = {group: energies if group == "energy" else [getattr(part, group) for part in parts] for group in GROUPS}
    times = [begin + part.t for begin, part in zip(begins, parts, strict=True)]
    return replace(
        first,
        t=_stacked(times),
        p={name: value for name, value in first.p.items() if all(part.p[name] == value for part in rest)},
        complete=all(part.complete for part in parts),
        **{group: _stacked(values) for group, values in groups.items()},
    )


def joined_inputs(parts: Sequence[Mapping[str, scipy.interpolate.PPoly]]) -> dict[str, scipy.interpolate.PPoly]:
    """Join the inputs of consecutive phases, each over its own time, over the time of the whole motion."""
    joined = {}
    for name, first in parts[0].items():
        whole = scipy.interpolate.PPoly(first.c.copy(), first.x.copy(), extrapolate=False)
        for part in parts[1:]:
            whole.extend(part[name].c, whole.x[-1] + part[name].x[1:])
        joined[name] = whole
    return joined


def arm_inputs(
    arm: DAE, run: Sequence[PhaseTrajectory], inputs: Mapping[str, scipy.interpolate.PPoly]
) -> dict[str, scipy.interpolate.PPoly]:
    """Return the inputs of the arm: those planned, and of references what the planned derivatives integrate to.

    Parameters
    ----------
    arm : DAE
    run : sequence of PhaseTrajectory
    inputs : dict of PPoly
        Of the arm with its references integrated, over the time of the whole motion [s].
    """
    start = {name: run[0].block.w[0, name].value for name in run[0].block.first_order}
    whole: dict[str, Any] = dict(inputs)
    for chain in reference_chains(arm):
        for lower, name in reversed(list(zip(chain.names[: chain.highest], chain.names[1:], strict=False))):
            if lower in whole:  # known beforehand
                continue
            begin = start[lower] if lower in start else float(arm.u.start[arm.u.index(lower)])
            integral = whole[name].antiderivative()
            integral.c[-1] += begin
            whole[lower] = integral
        for lower, name in zip(chain.names[chain.highest :], chain.names[chain.highest + 1 :], strict=False):
            if name not in whole:
                whole[name] = _derivative(whole[lower])
    return {name: whole[name] for name in arm.u.names if name in whole}


def _derivative(polynomial: scipy.interpolate.PPoly) -> scipy.interpolate.PPoly:
    if len(polynomial.c) > 1:
        return polynomial.derivative()
    return scipy.interpolate.PPoly(np.zeros_like(polynomial.c), polynomial.x, extrapolate=polynomial.extrapolate)


def _stacked(values: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate([*(value[:-1] for value in values[:-1]), values[-1]])
