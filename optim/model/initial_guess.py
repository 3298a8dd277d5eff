"""Initial guess of a trajectory and its inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from flexblocks.libraries import scipy

from ..collocation.interval_layout import state_slices
from ..presolve.equilibrium import loop_forces
from ..presolve.first_order_states import undriven_states
from ..presolve.phase_transcription import PhaseTranscription
from ..presolve.rigid_motion.driven_states import following_states, moving_forces, state_inputs
from ..presolve.rigid_motion.quasi_static_path import QuasiStaticPath, balanced_path
from ..presolve.rigid_motion.rigid_arm import quintic, rigid_inputs
from ..presolve.rigid_motion.waypoint_spline import Waypoint, waypoint_spline, with_reference_rates
from .ends.reached_state import set_reached_state
from .guessed_series import GuessedSeries
from .least_effort import least_effort_waypoints
from .path_constraints import set_path_values

# Share of first-order states below which the motion does not change them, as lengths of stiff ropes. By trial.
NO_NEWS = 1e-5


def set_guess(
    b: Any,
    t: PhaseTranscription,
    detours: Sequence[Waypoint] = (),
    straight: bool = False,
    series: GuessedSeries | None = None,
) -> None:
    """Set all free Vars to the default initial guess: a smooth path through the waypoints, and its inputs.

    The waypoints are start, via points, goal and `detours`; without via points the path is a quintic in all states, or
    unless it is to be `straight`, the rigid arm's motion of least effort where that takes much less. Scenarios, which
    share their inputs, all go straight. Deflections follow their static values; with cylinders, ropes, contacts or
    closed loops all of the path is made of equilibria. The inputs are those of the equivalent rigid arm, clipped to
    their limits, unless they belong to another scenario. A free duration is that of the mesh.

    With `series` of some variables the rest is as it would be for that motion, of the duration of the series if it is
    free.
    """
    if t.is_free:
        if series is not None and t.duration_range is not None:
            low, high = t.duration_range
            t = replace(t, mesh=t.mesh.lasting(min(max(series.duration, low), high)))
        b.T.set_value(t.mesh.duration)
    # Smooth path of the states over the mesh
    n, times, h, T = t.dae.tree.size, t.mesh.times, t.mesh.steps, t.mesh.duration
    inner = t.mesh.within(t.scheme.nodes)
    if not (detours or straight or t.problem.scenarios):
        detours = least_effort_waypoints(t)
    path = _path(t, detours)
    if series is not None:
        is_balanced = path.is_balanced and not series.first_order(t.dae).any()
        path = replace(path, states=series.states(path.states, t), is_balanced=is_balanced)
    (x, rates, accelerations), at_points = (
        with_reference_rates(t.dae, path.states(at / T), T) for at in (times, inner)
    )
    q, v, a, w, dw = x[:, :n], rates[:, :n] / T, accelerations[:, :n] / T**2, x[:, 2 * n :], rates[:, 2 * n :] / T
    z = path.z(inner / T)
    if series is not None:
        z = series.values(t.dae.z.names, inner / T, z)
    # First-order states that no input drives follow from that motion
    inner_rates = at_points[1][..., 2 * n :] / T
    if w.size:
        states = np.concatenate([at_points[0][..., :n], at_points[1][..., :n] / T, at_points[0][..., 2 * n :]], axis=-1)
        following = following_states(t.dae, t.scheme, h, states, z, t.start.p, t.start.x[2 * n :])
        if following is not None:
            asks = undriven_states(t.dae)
            if series is not None:
                asks = [i for i in asks if not series.first_order(t.dae)[i]]
            w[:, asks], inner_rates[..., asks] = following[0][:, asks], following[1][..., asks]
    # Inputs of the rigid arm along it, clipped to their limits; algebraic variables exist at collocation points
    # only, so the first of each interval is used at the mesh point before it
    along = np.concatenate([z[:, 0], z[-1:, -1]])
    u = rigid_inputs(t.dae, t.start, t.problem.start, q, v, w, a, along)
    more = np.zeros_like(dw)
    if w.size and path.is_balanced:
        # What moves the arm beyond holding it, by currents and pressures
        extra = moving_forces(t.dae, t.start, t.problem.start, (q, v, w, a), along, u)
        if np.all(np.abs(extra).max(axis=0) < NO_NEWS * np.abs(w).max(axis=0)):
            extra = np.zeros_like(w)
        more = np.gradient(extra, times, axis=0)
        w, dw = w + extra, dw + more
        u = state_inputs(t.dae, np.hstack([q, v, w]), along, u, t.start.p, dw)
    if series is not None:
        u = series.values(t.dae.u.names, times / T, u)
    u = np.clip(u, t.limits.u[:, 0], t.limits.u[:, 1])
    # Values of the Vars
    within = np.clip(np.concatenate([q, v, w], axis=1), t.limits.x[:, 0], t.limits.x[:, 1])
    for part, where in state_slices(t.dae).items():
        set_values(getattr(b, part), within[:, where])
    set_reached_state(b, t)
    inner_accelerations = at_points[2][..., :n] / T**2
    if t.static.names:
        inner_accelerations = inner_accelerations @ t.static.moving(n).T
        set_values(b.e, at_points[0][..., :n] @ t.static.amounts(n).T)
    set_values(b.a, inner_accelerations)
    between = more[:-1, None] + t.scheme.nodes[:, None] * np.diff(more, axis=0)[:, None]
    set_values(b.dw, inner_rates + between)
    set_values(b.z, z)
    set_values(b.f, path.forces(inner / T))
    if not t.borrows_inputs:
        _set_inputs(b, t, u)
    if t.path.rows:
        set_path_values(b)


@dataclass(frozen=True, eq=False)
class _Path:
    """A path as functions of the fraction of the duration: states with two derivatives, and what goes with them."""

    states: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]
    z: Callable[[np.ndarray], np.ndarray]
    forces: Callable[[np.ndarray], np.ndarray]
    is_balanced: bool


def _path(t: PhaseTranscription, detours: Sequence[Waypoint]) -> _Path:
    """Return the path along equilibria where these matter and connect, otherwise a spline through the waypoints."""
    if not t.passed and not detours:
        balanced = balanced_path(t.dae, t.problem, t.phase, t.start, t.goal)
        if balanced is not None:
            return _along(balanced)
    every: list[Waypoint] = [*t.waypoints, *detours]
    waypoints = sorted(every, key=lambda point: point[0])
    spline = waypoint_spline(t.dae, t.start.p, waypoints, t.mesh.duration)
    rates, accelerations = spline.derivative(), spline.derivative(2)
    forces = loop_forces(t.dae, t.start)
    return _Path(
        lambda share: (spline(share), rates(share), accelerations(share)),
        lambda share: t.start.z + quintic(share, 1.0)[0][..., None] * (t.goal.z - t.start.z),
        lambda share: np.broadcast_to(forces, (*share.shape, len(forces))),
        False,
    )


def _along(path: QuasiStaticPath) -> _Path:
    """Return a path along equilibria that starts and ends smoothly."""
    slope, curvature = path.x.derivative(), path.x.derivative(2)

    def states(share: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        way, rate, growth = (value[..., None] for value in quintic(share, 1.0))
        place = np.clip(way[..., 0], 0.0, 1.0)
        return path.x(place), slope(place) * rate, curvature(place) * rate**2 + slope(place) * growth

    def at(values: scipy.interpolate.BSpline) -> Callable[[np.ndarray], np.ndarray]:
        return lambda share: values(np.clip(quintic(share, 1.0)[0], 0.0, 1.0))

    return _Path(states, at(path.z), at(path.forces), True)


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
