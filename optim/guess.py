"""Where the solver starts."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from .rest import accompanying_motion
from .transcription import Transcription


def set_guess(m: Any, t: Transcription) -> None:
    """Set all free Vars to the default start: a quintic from rest to rest in all states, and the inputs it takes.

    Deflections follow their static values along the way; the inputs are those of the arm as if it were rigid, within
    their limits.
    """
    n, times, h = t.dae.tree.size, t.mesh.times, t.mesh.steps
    inner = times[:-1, None] + h[:, None] * t.scheme.nodes
    step = t.goal.x - t.start.x
    share = _quintic(times, t.mesh.duration)
    q = t.start.x[:n] + share[0][:, None] * step[:n]
    v, a = share[1][:, None] * step[:n], share[2][:, None] * step[:n]
    w = t.start.x[2 * n :] + share[0][:, None] * step[2 * n :]
    z = t.start.z + _quintic(inner, t.mesh.duration)[0][..., None] * (t.goal.z - t.start.z)
    u = np.clip(_inputs(t, q, v, w, a, z), t.limits.u[:, 0], t.limits.u[:, 1])
    within = np.clip(np.concatenate([q, v, w], axis=1), t.limits.x[:, 0], t.limits.x[:, 1])
    _set(m.q, within[:, :n])
    _set(m.v, within[:, n : 2 * n])
    _set(m.w, within[:, 2 * n :])
    _set(m.a, _quintic(inner, t.mesh.duration)[2][..., None] * step[:n])
    _set(m.dw, _quintic(inner, t.mesh.duration)[1][..., None] * step[2 * n :])
    _set(m.z, z)
    _set(m.u, u if t.shape.is_continuous else (u[:-1] + u[1:]) / 2)
    if t.shape.has_rates:
        rates = np.gradient(u, times, axis=0)
        _set(m.du, np.clip(rates, t.limits.du[:, 0], t.limits.du[:, 1]))


def _quintic(t: np.ndarray, duration: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the quintic from 0 to 1 that starts and ends at rest, with its first two derivatives."""
    s = t / duration
    return (
        s**3 * (10 - 15 * s + 6 * s**2),
        30 * s**2 * (1 - s) ** 2 / duration,
        60 * s * (1 - s) * (1 - 2 * s) / duration**2,
    )


def _inputs(t: Transcription, q: np.ndarray, v: np.ndarray, w: np.ndarray, a: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Return the inputs (K + 1, nu) of the arm as if it were rigid.

    They do the work that inverse dynamics asks for on the motions of the given coordinates, which all others follow.
    """
    dae, count = t.dae, len(q)
    p = np.tile(t.p[:, None], (1, count))
    x, idle = np.concatenate([q, v, w], axis=1).T, np.zeros((len(dae.u), count))
    # Algebraic variables stand at collocation points; the first of each interval serves for the mesh point before it.
    more = [np.concatenate([z[:, 0], z[-1:, -1]]).T] if len(dae.z) else []
    asked = dae.inverse_dynamics.map(count)(q.T, v.T, a.T, p) - dae.input_force.map(count)(x, idle, p, *more)
    symbols = [dae.x.symbol, dae.u.symbol, dae.p.symbol, *([dae.z.symbol] if len(dae.z) else [])]
    slope = ca.Function("slope", symbols, [ca.densify(ca.jacobian(dae.applied_expression, dae.u.symbol))])
    gain = np.array(slope.map(count)(x, idle, p, *more)).reshape(-1, count, len(dae.u))
    motion = accompanying_motion(dae, t.start, t.problem.start)
    power, works = motion.T @ np.array(asked), np.einsum("ng,nku->kgu", motion, gain)
    return np.stack([np.linalg.pinv(works[k]) @ power[:, k] for k in range(count)])


def _set(variables: Any, values: np.ndarray) -> None:
    for variable, value in zip(variables.values(), values.ravel().tolist(), strict=True):
        if not variable.fixed:
            variable.set_value(value, skip_validation=True)
