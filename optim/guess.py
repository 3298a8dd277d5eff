"""Where the solver starts."""

from __future__ import annotations

from typing import Any

import numpy as np

from .path_box import settle_path
from .rigid_motion import quintic, rigid_inputs
from .transcription import Transcription


def set_guess(b: Any, t: Transcription) -> None:
    """Set all free Vars to the default start: a quintic from rest to rest in all states, and the inputs it takes.

    Deflections follow their static values along the way; the inputs are those of the arm as if it were rigid, within
    their limits, and are left to the scenario that they are borrowed from. A free duration is that of the mesh.
    """
    n, times, h = t.dae.tree.size, t.mesh.times, t.mesh.steps
    inner = times[:-1, None] + h[:, None] * t.scheme.nodes
    step = t.goal.x - t.start.x
    share = quintic(times, t.mesh.duration)
    q = t.start.x[:n] + share[0][:, None] * step[:n]
    v, a = share[1][:, None] * step[:n], share[2][:, None] * step[:n]
    w = t.start.x[2 * n :] + share[0][:, None] * step[2 * n :]
    z = t.start.z + quintic(inner, t.mesh.duration)[0][..., None] * (t.goal.z - t.start.z)
    # Algebraic variables stand at collocation points; the first of each interval serves for the mesh point before it.
    along = np.concatenate([z[:, 0], z[-1:, -1]])
    u = rigid_inputs(t.dae, t.start, t.problem.start, q, v, w, a, along)
    u = np.clip(u, t.limits.u[:, 0], t.limits.u[:, 1])
    within = np.clip(np.concatenate([q, v, w], axis=1), t.limits.x[:, 0], t.limits.x[:, 1])
    set_values(b.q, within[:, :n])
    set_values(b.v, within[:, n : 2 * n])
    set_values(b.w, within[:, 2 * n :])
    set_values(b.a, quintic(inner, t.mesh.duration)[2][..., None] * step[:n])
    set_values(b.dw, quintic(inner, t.mesh.duration)[1][..., None] * step[2 * n :])
    set_values(b.z, z)
    if not t.borrows_inputs:
        _set_inputs(b, t, u)
    settle_path(b)


def _set_inputs(b: Any, t: Transcription, u: np.ndarray) -> None:
    """Set the inputs from their values (K + 1, nu) at mesh points."""
    set_values(b.u, u if t.shape.is_continuous else (u[:-1] + u[1:]) / 2)
    if t.shape.has_rates:
        rates = np.gradient(u, t.mesh.times, axis=0)
        set_values(b.du, np.clip(rates, t.limits.du[:, 0], t.limits.du[:, 1]))


def set_values(variables: Any, values: np.ndarray) -> None:
    """Set the free ones of an indexed Var, in its order; fixed ones keep their value."""
    for variable, value in zip(variables.values(), values.ravel().tolist(), strict=True):
        if not variable.fixed:
            variable.set_value(value, skip_validation=True)
