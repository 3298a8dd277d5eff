"""The rigid arm's motion through its waypoints, and how its own forces bend the arm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.libraries import scipy
from flexblocks.statics.balance import motion

from ...collocation.mesh import Mesh
from ...tolerances import ROUNDING
from ..equilibrium import loop_forces, scaled_lstsq
from ..first_order_states import undriven_states
from ..phase_transcription import PhaseTranscription
from ..rigid_motion.driven_states import following_states, moving_forces, state_inputs
from ..rigid_motion.rigid_arm import POINTS, quintic, rigid_inputs
from ..rigid_motion.waypoint_spline import waypoint_spline, with_reference_rates


@dataclass(frozen=True, eq=False)
class CharacteristicMotion:
    """The rigid arm's motion at k times: coordinates, rates, accelerations, first-order states with rates, z, inputs.

    `bent` are the changes of the coordinates (k, n), and `held` those of the loop-closure forces (k, m), that balance
    the forces of that motion quasi-statically.
    """

    times: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    w: np.ndarray
    dw: np.ndarray
    z: np.ndarray
    u: np.ndarray
    bent: np.ndarray
    held: np.ndarray


def characteristic_motion(t: PhaseTranscription, stiffness: np.ndarray) -> CharacteristicMotion:
    """Return the motion of a phase; `stiffness` is its `balance_jacobian`."""
    dae, n, T = t.dae, t.dae.tree.size, t.mesh.duration
    times = np.linspace(0.0, T, POINTS)
    states = waypoint_spline(dae, t.start.p, t.waypoints, T)
    x, rates, accelerations = _moved(t, states, times)
    q, w, v, dw = x[:, :n], x[:, 2 * n :], rates[:, :n], rates[:, 2 * n :]
    a = accelerations[:, :n]
    z = t.start.z + quintic(times, T)[0][:, None] * (t.goal.z - t.start.z)
    if w.size:
        w, dw = _followed(t, times, states, w, dw)
    u = rigid_inputs(dae, t.start, t.problem.start, q, v, w, a, z)
    if w.size:
        # Voltages and openings of valves exert no force: they drive the currents and pressures that move the arm
        extra = moving_forces(dae, t.start, t.problem.start, (q, v, w, a), z, u)
        dw = dw + np.gradient(extra, times, axis=0)
        u = state_inputs(dae, np.hstack([q, v, w + extra]), z, u, t.start.p, dw)
    # What of the forces is not balanced bends the arm; the driven coordinates stay where they are
    forces, p = loop_forces(dae, t.start), np.tile(t.start.p, (POINTS, 1))
    states_then = np.hstack([q, v, w])
    residual = motion(dae).map(POINTS)(states_then.T, z.T, u.T, p.T, a.T, np.tile(forces, (POINTS, 1)).T)[0]
    unbalanced = np.zeros((len(stiffness), POINTS))
    unbalanced[: residual.shape[0]] = np.array(residual)
    driven = [dae.q_names.index(name) for name in t.problem.start if name in dae.q_names]
    free = np.setdiff1d(np.arange(stiffness.shape[1] - len(dae.u)), driven)
    size = np.max(np.abs(stiffness[:, free]), axis=1, initial=0.0)
    # What nothing holds, such as a floating base, bends nothing
    stiff = size > ROUNDING * np.max(np.abs(unbalanced), axis=1)
    change = np.zeros((stiffness.shape[1] - len(dae.u), POINTS))
    if stiff.any():
        change[free] = scaled_lstsq(stiffness[np.ix_(stiff, free)], -unbalanced[stiff])
    held = change[len(change) - len(forces) :].T
    return CharacteristicMotion(times, q, v, a, w, dw, z, u, change[:n].T, held)


def _moved(
    t: PhaseTranscription, states: scipy.interpolate.BSpline, times: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return states (..., nx) at times [s], with their first two derivatives in time."""
    T = t.mesh.duration
    parts = (states(times / T), states.derivative()(times / T), states.derivative(2)(times / T))
    x, rates, accelerations = with_reference_rates(t.dae, parts, T)
    return x, rates / T, accelerations / T**2


def _followed(
    t: PhaseTranscription, times: np.ndarray, states: scipy.interpolate.BSpline, w: np.ndarray, dw: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the first-order states (k, nw) and their rates, of which those that no input drives follow the motion."""
    n, T = t.dae.tree.size, t.mesh.duration
    mesh = Mesh(times)
    nodes = mesh.within(t.scheme.nodes)
    (x, rates, _), z = _moved(t, states, nodes), t.start.z + quintic(nodes, T)[0][..., None] * (t.goal.z - t.start.z)
    x[..., n : 2 * n] = rates[..., :n]
    following = following_states(t.dae, t.scheme, mesh.steps, x, z, t.start.p, t.start.x[2 * n :])
    if following is None:
        return w, dw
    asks, rates = undriven_states(t.dae), np.abs(following[1]).max(axis=1)
    w, dw = w.copy(), dw.copy()
    w[:, asks], dw[1:, asks] = following[0][:, asks], rates[:, asks]
    return w, dw
