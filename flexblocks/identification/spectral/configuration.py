"""Configuration in which an arm was measured: its operating point as a function of the parameters, with derivatives.

A measured arm stood somewhere, whatever its parameters are. So the coordinates that are held, and those that the first
equilibrium leaves undetermined, stay where they are while parameters change; all others follow, s(p) with
dr/ds ds/dp = -dr/dp for the residuals r(s, p) at rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dae.forward_jacobian import forward_jacobian
from flexblocks.errors import ParameterError
from flexblocks.libraries import scipy
from flexblocks.statics.balance import rest, rest_residuals, unknown_slices, unknown_vector
from flexblocks.statics.equilibrium import equilibrium
from flexblocks.statics.operating_point import OperatingPoint, point_at_rest
from flexblocks.statics.problem import RANK
from flexblocks.validity.large_deflections import without_warning

STEPS = 20
# Residuals are of the size of rounding when a step of Newton's method no longer lessens them.
SETTLED = 1e-9


class Configuration:
    """Operating point of an arm at rest, as a function of its parameters.

    Parameters
    ----------
    dae : DAE
    at : dict
        Coordinates and inputs that are held, by name.
    p : ndarray
        Parameters at which the equilibrium is sought first.
    where : str
        The calling function, for messages.

    Raises
    ------
    FlexblocksError
        There is no equilibrium with these held.
    """

    def __init__(self, dae: DAE, at: Mapping[str, float], p: np.ndarray, where: str) -> None:
        if dae.tree.dependent_names:
            raise ParameterError(
                f"{where}: '{dae.name}' has variables that follow from its coordinates "
                f"({', '.join(dae.tree.dependent_names)}), whose derivatives in parameters are not known here; take an "
                "arm without sliding beams of finite elements."
            )
        held = {name: value for name, value in at.items() if name not in dae.u}
        inputs = {name: value for name, value in at.items() if name in dae.u}
        with without_warning():
            point = equilibrium(dae, held, inputs, p)
        self.dae, self._held, self._inputs = dae, held, inputs
        self._s = unknown_vector(dae, point.x, point.z, point.forces, point.u)
        names = (*dae.q_names, *dae.x.names[2 * dae.tree.size :], *dae.z.names, *dae.tree.loops.multipliers)
        names += dae.u.names
        fixed = {*at, *dae.prescribed, *dae.u.with_role("disturbance", "reference_rate")}
        self._free = np.array([name not in fixed for name in names])
        self._hold_what_is_undetermined(p)

    def _hold_what_is_undetermined(self, p: np.ndarray) -> None:
        """Hold as many coordinates as the equilibrium leaves open, those that move most along its set."""
        n = self.dae.tree.size
        idle = self._idle(p)[np.flatnonzero(self._free) < n]
        if not idle.size:
            return
        *_, order = scipy.linalg.qr(idle.T, pivoting=True, mode="economic")
        count = np.linalg.matrix_rank(idle, tol=1e-6)
        self._free[np.flatnonzero(self._free)[order[:count]]] = False

    def _idle(self, p: np.ndarray) -> np.ndarray:
        """Return the directions (free, m) of the free unknowns along which all residuals stay, scaled to unit size."""
        J = self._evaluated(self._s, p)[1][:, self._free]
        row = np.max(np.abs(J), axis=1, initial=0.0)
        scaled = J[row > 0] / row[row > 0, None]
        return scipy.linalg.null_space(scaled, rcond=RANK) if scaled.size else np.eye(J.shape[1])

    def _evaluated(self, s: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        r, J, _ = rest(self.dae)(s, p)
        return r.full().ravel(), J.full()

    def point(self, p: np.ndarray) -> OperatingPoint:
        """Return the operating point at parameters `p`, from the last one by Newton's method."""
        s = self._s.copy()
        for _ in range(STEPS):
            r, J = self._evaluated(s, p)
            step = np.linalg.lstsq(J[:, self._free], -r, rcond=RANK)[0]
            s[self._free] += step
            if np.all(np.abs(step) <= SETTLED * (1 + np.abs(s[self._free]))):
                self._s = s
                break
        else:
            # Far from the last one: by the search for equilibria, with what is held there.
            at = unknown_slices(self.dae).q
            held = {n: v for n, v, free in zip(self.dae.q_names, self._s[at], self._free[at], strict=True) if not free}
            with without_warning():
                point = equilibrium(self.dae, {**self._held, **held}, self._inputs, p)
            self._s = unknown_vector(self.dae, point.x, point.z, point.forces, point.u)
        return point_at_rest(self.dae, self._s, p, self._evaluated(self._s, p)[0][: unknown_slices(self.dae).z.stop])

    def slopes(self, p: np.ndarray, columns: list[int]) -> np.ndarray:
        """Return the derivatives (ns, k) of s = [q, w, z, lambda, u] in the parameters at these positions, there."""
        _, J = self._evaluated(self._s, p)
        by_p = _residual_slopes(self.dae)(self._s, p).full()[:, columns]
        result = np.zeros((len(self._s), len(columns)))
        result[self._free] = np.linalg.lstsq(J[:, self._free], -by_p, rcond=RANK)[0]
        return result


@lru_cache(maxsize=16)
def _residual_slopes(dae: DAE) -> ca.Function:
    """Return the function (s, p) -> derivatives of the residuals at rest in the parameters."""
    return forward_jacobian(rest_residuals(dae), [1])
