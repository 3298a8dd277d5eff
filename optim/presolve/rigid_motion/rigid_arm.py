"""Equivalent rigid arm: quintic motion from rest to rest, and its inverse dynamics."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.statics.operating_point import OperatingPoint

from ..equilibrium import accompanying_motion

POINTS = 41  # along a motion, at which inputs are evaluated; by trial


def quintic(t: np.ndarray, duration: np.ndarray | float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rest-to-rest quintic polynomial from 0 to 1, with its first two derivatives."""
    s = t / duration
    return (
        s**3 * (10 - 15 * s + 6 * s**2),
        30 * s**2 * (1 - s) ** 2 / duration,
        60 * s * (1 - s) * (1 - 2 * s) / duration**2,
    )


def rigid_inputs(
    dae: DAE,
    start: OperatingPoint,
    driven: Mapping[str, float],
    q: np.ndarray,
    v: np.ndarray,
    w: np.ndarray,
    a: np.ndarray,
    z: np.ndarray,
) -> np.ndarray:
    """Return the inputs (points, nu) of the equivalent rigid arm at states and accelerations; see `RigidInputs`."""
    return RigidInputs(dae, start, driven)(q, v, w, a, z)


class RigidInputs:
    """Inputs of the equivalent rigid arm.

    By virtual work: they do the work of inverse dynamics on the motions of the `driven` coordinates, which all others
    follow.
    """

    def __init__(self, dae: DAE, start: OperatingPoint, driven: Mapping[str, float]) -> None:
        self._dae, self._start = dae, start
        symbols = [dae.x.symbol, dae.u.symbol, dae.p.symbol, *([dae.z.symbol] if len(dae.z) else [])]
        self._slope = ca.Function("slope", symbols, [ca.densify(ca.jacobian(dae.expressions.applied, dae.u.symbol))])
        self._motion = accompanying_motion(dae, start, driven)
        # Known inputs are as at the start.
        known = [dae.u.index(name) for name in dae.u.with_role("disturbance")]
        self._known, self._idle = known, np.zeros(len(dae.u))
        self._idle[known] = start.u[known]

    def __call__(self, q: np.ndarray, v: np.ndarray, w: np.ndarray, a: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Return the inputs (points, nu) at states and accelerations, a row for each point."""
        dae, count = self._dae, len(q)
        p = np.tile(self._start.p[:, None], (1, count))
        x, idle = np.concatenate([q, v, w], axis=1).T, np.tile(self._idle[:, None], (1, count))
        more = [z.T] if len(dae.z) else []
        asked = dae.inverse_dynamics.map(count)(q.T, v.T, a.T, *dae.posture(x, z.T, p)[1:])
        asked = asked - dae.input_force.map(count)(x, idle, p, *more)
        gain = np.array(self._slope.map(count)(x, idle, p, *more)).reshape(-1, count, len(dae.u))
        power, works = self._motion.T @ np.array(asked), np.einsum("ng,nku->kgu", self._motion, gain)
        works[:, :, self._known] = 0.0
        return (np.linalg.pinv(works) @ power.T[:, :, None])[:, :, 0] + self._idle
