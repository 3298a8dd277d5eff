"""Initial guess of a trajectory and its inputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..collocation.interval_layout import state_slices
from ..presolve.equilibrium import loop_forces
from ..presolve.phase_transcription import PhaseTranscription
from ..presolve.rigid_arm import Waypoint, quintic, rigid_inputs, spline_through
from .path_constraints import set_path_values


def set_guess(b: Any, t: PhaseTranscription, detour: Waypoint | None = None) -> None:
    """Set all free Vars to the default initial guess: a smooth path through the waypoints, and its inputs.

    The waypoints are start, via points, goal and an optional `detour`; without via points the path is a quintic in all
    states. Deflections follow their static values; the inputs are those of the equivalent rigid arm, clipped to their
    limits, unless they belong to another scenario. A free duration is that of the mesh.
    """
    # Smooth path of the states over the mesh
    n, times, h, T = t.dae.tree.size, t.mesh.times, t.mesh.steps, t.mesh.duration
    inner = times[:-1, None] + h[:, None] * t.scheme.nodes
    waypoints = sorted((*t.waypoints, *([] if detour is None else [detour])), key=lambda point: point[0])
    states = spline_through(waypoints, n, T)
    rates, accelerations = states.derivative(), states.derivative(2)
    x, v, a = states(times / T), rates(times / T)[:, :n] / T, accelerations(times / T)[:, :n] / T**2
    q, w = x[:, :n], x[:, 2 * n :]
    z = t.start.z + quintic(inner, T)[0][..., None] * (t.goal.z - t.start.z)
    # Inputs of the rigid arm along it, clipped to their limits; algebraic variables exist at collocation points
    # only, so the first of each interval is used at the mesh point before it
    along = np.concatenate([z[:, 0], z[-1:, -1]])
    u = rigid_inputs(t.dae, t.start, t.problem.start, q, v, w, a, along)
    u = np.clip(u, t.limits.u[:, 0], t.limits.u[:, 1])
    # Values of the Vars
    within = np.clip(np.concatenate([q, v, w], axis=1), t.limits.x[:, 0], t.limits.x[:, 1])
    for part, where in state_slices(t.dae).items():
        set_values(getattr(b, part), within[:, where])
    inner_accelerations = accelerations(inner / T)[..., :n] / T**2
    if t.static.names:
        inner_accelerations = inner_accelerations @ t.static.moving(n).T
        set_values(b.e, states(inner / T)[..., :n] @ t.static.amounts(n).T)
    set_values(b.a, inner_accelerations)
    set_values(b.dw, rates(inner / T)[..., 2 * n :] / T)
    set_values(b.z, z)
    set_values(b.f, np.broadcast_to(loop_forces(t.dae, t.start), (*inner.shape, len(b.closures))))
    if not t.borrows_inputs:
        _set_inputs(b, t, u)
    if t.path.rows:
        set_path_values(b)


def _set_inputs(b: Any, t: PhaseTranscription, u: np.ndarray) -> None:
    """Set the inputs from their values (K + 1, nu) at mesh points."""
    set_values(b.u, u if t.shape.is_continuous else (u[:-1] + u[1:]) / 2)
    if t.shape.has_rates:
        rates = np.gradient(u, t.mesh.times, axis=0)
        set_values(b.du, np.clip(rates, t.limits.du[:, 0], t.limits.du[:, 1]))


def set_values(variables: Any, values: np.ndarray) -> None:
    """Set the free members of an indexed Var in order; fixed ones keep their values."""
    for variable, value in zip(variables.values(), values.ravel().tolist(), strict=True):
        if not variable.fixed:
            variable.set_value(value, skip_validation=True)
