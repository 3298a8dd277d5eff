"""Dense output of a collocated motion: its polynomials at any time, also between collocation points."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexblocks.libraries import scipy

from ..collocation.interval_layout import state_names, state_slices
from ..collocation.schemes import Collocation
from ..problem.signals.instant import instant_rows
from .read_solution import values
from .trajectories import PhaseTrajectory


def dense_output(traj: PhaseTrajectory, inputs: Mapping[str, scipy.interpolate.PPoly], times: np.ndarray) -> np.ndarray:
    """Return the instants (size, T) of a phase's motion, see `instant_rows`.

    Parameters
    ----------
    traj : PhaseTrajectory
    inputs : dict of PPoly
        Of the phase.
    times : ndarray (T,)
        Over the phase's own time [s].
    """
    b, t, mesh = traj.block, traj.transcription, traj.mesh
    dae, n, K, d = t.dae, t.dae.tree.size, mesh.intervals, t.scheme.degree
    k = np.clip(np.searchsorted(mesh.times, times, side="right") - 1, 0, K - 1)
    h = mesh.steps[k][:, None]
    s = (times - mesh.times[k])[:, None] / h
    integrated = integrals(t.scheme, s.ravel())

    def at_points(name: str) -> np.ndarray:
        """Return the values of a Var at collocation points (K, d, m)."""
        variables = getattr(b, name)
        return values(variables, K, d, -1) if len(variables) else np.zeros((K, d, 0))

    def integral(at: np.ndarray) -> np.ndarray:
        return np.einsum("td,tdm->tm", integrated, at[k])

    def between(name: str) -> np.ndarray:
        """Interpolate a Var of collocation points, from the end of the interval before unless inputs jump there."""
        at = at_points(name)
        begin = np.array(at[:, 0])
        if t.scheme.nodes[0] > 0:
            begin = np.einsum("d,kdm->km", lagrange(t.scheme.nodes, np.zeros(1))[0], at)
            if t.shape.is_continuous:
                begin[1:] = at[:-1, -1]
        return _through_beginning(t.scheme, s.ravel(), begin[k], at[k]).T

    x = np.concatenate([values(getattr(b, part), K + 1, -1) for part in state_names(dae)], axis=1)
    q, v, w = (x[k][:, where] for where in state_slices(dae).values())
    a, dw = at_points("a"), at_points("dw")
    along = np.zeros_like(q)
    if t.static.names:
        shapes = t.static.directions(n)
        along = _through_beginning(t.scheme, s.ravel(), q @ t.static.amounts(n).T, at_points("e")[k]) @ shapes.T
        q, v = q @ t.static.moving(n).T, v @ t.static.moving(n).T
    states = [
        along + q + h * s * v + h**2 * integral(t.scheme.integral @ a),
        v + h * integral(a),
        w + h * integral(dw),
    ]
    held = {name: np.clip(times, 0.0, inputs[name].x[-1]) for name in dae.u.names}
    return instant_rows(
        dae,
        x=np.concatenate(states, axis=1).T,
        **{name: between(name) for name in ("a", "dw", "z", "f")},
        u=np.reshape([inputs[name](at) for name, at in held.items()], (-1, len(times))),
        du=np.reshape([inputs[name].derivative()(at) for name, at in held.items()], (-1, len(times))),
        time=times,
    )


def lagrange(nodes: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Return the Lagrange polynomials of `nodes` (d,) at fractions `s` (T,) of an interval, (T, d)."""
    powers = np.arange(len(nodes))
    return s[:, None] ** powers @ np.linalg.inv(nodes[:, None] ** powers)


def integrals(scheme: Collocation, s: np.ndarray) -> np.ndarray:
    """Return the integrals (T, d) of the Lagrange polynomials of the collocation points from 0 to fractions `s`."""
    powers = np.arange(scheme.degree)
    return (s[:, None] ** (powers + 1) / (powers + 1)) @ np.linalg.inv(scheme.nodes[:, None] ** powers)


def _through_beginning(scheme: Collocation, s: np.ndarray, begin: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Interpolate values (T, m) at the beginning of the interval and (T, d, m) at its collocation points."""
    later = scheme.nodes > 0
    weights = lagrange(np.append(0.0, scheme.nodes[later]), s)
    return np.einsum("td,tdm->tm", weights, np.concatenate([begin[:, None], points[:, later]], axis=1))
