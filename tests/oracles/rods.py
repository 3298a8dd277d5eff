"""Rods that are curved and twisted unloaded: equilibria by shooting, frequencies by transfer matrices.

Independent of the library: Reissner's equations of a rod in space (Simo 1985), integrated along it; their linearisation
at rest has constant coefficients in the axes of the sections where curvature and twist are constant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.optimize import brentq, root
from scipy.spatial.transform import Rotation


def skew(v):
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


@dataclass(frozen=True)
class Rod:
    """A uniform rod along x, clamped at its root.

    `curvature` (3,) is that at rest [1/m] about x (twist), y and z of the sections; `bending` (3,) are GJ and the EI
    about y and z [N m2]; `stretching` (3,) are EA and kappa G A along y and z [N]; `inertia` (3,) is per length about
    the axes of the sections [kg m].
    """

    length: float
    curvature: tuple[float, float, float]
    bending: tuple[float, float, float]
    stretching: tuple[float, float, float] = (np.inf, np.inf, np.inf)
    density: float = 1.0
    inertia: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def tip(self, force, parts: int = 4) -> np.ndarray:
        """Return the place (3) of the tip under a dead force (3) there."""
        moment = np.zeros(3)
        for share in np.linspace(0.0, 1.0, parts + 1):
            part = share * np.asarray(force, float)
            moment = root(lambda m, f=part: self._along(m, f)[7:], moment, tol=1e-12).x
        return self._along(moment, part)[:3]

    def _along(self, moment, force) -> np.ndarray:
        """Return place, quaternion and moment at the tip, from the moment (3) at the root."""
        rest, bending, stretching = (np.array(each) for each in (self.curvature, self.bending, self.stretching))

        def slope(_, y):
            R = Rotation.from_quat(y[3:7]).as_matrix()
            tangent = R @ (np.array([1.0, 0.0, 0.0]) + R.T @ force / stretching)
            kappa = rest + R.T @ y[7:] / bending
            a, w = y[3:6], y[6]
            turn = np.append(w * kappa + np.cross(a, kappa), -a @ kappa) / 2
            return np.concatenate([tangent, turn, -np.cross(tangent, force)])

        start = np.concatenate([np.zeros(3), [0.0, 0.0, 0.0, 1.0], moment])
        return solve_ivp(slope, (0.0, self.length), start, method="DOP853", rtol=1e-9, atol=1e-9).y[:, -1]

    def frequencies(self, count: int, step: float) -> np.ndarray:
        """Return the first frequencies [rad/s], which lie further apart than `step`."""
        e, K, none = skew([1.0, 0.0, 0.0]), skew(self.curvature), np.zeros((3, 3))
        give = [np.diag(1 / np.array(each)) for each in (self.stretching, self.bending)]
        units = np.repeat([1.0, 1 / self.length, self.bending[1] / self.length**2, self.bending[1] / self.length], 3)

        def determinant(omega):
            force, turn = -(omega**2) * self.density * np.eye(3), -(omega**2) * np.diag(self.inertia)
            rows = [[-K, -e, give[0], none], [none, -K, none, give[1]], [force, none, -K, none], [none, turn, -e, -K]]
            A = np.block(rows) * units / units[:, None]
            return np.linalg.det(expm(A * self.length)[6:, 6:])

        found, omega, value = [], step, determinant(step)
        while len(found) < count:
            after = determinant(omega + step)
            if value * after < 0:
                found.append(brentq(determinant, omega, omega + step, xtol=1e-9 * omega))
            omega, value = omega + step, after
        return np.array(found)
