"""Log-Cholesky parameters of a rigid body: any ten real numbers are the inertia of a body that can exist.

C. Rucker, P. M. Wensing, Smooth parameterization of rigid-body inertia, IEEE Robotics and Automation Letters 7 (2022)
2771-2778: the pseudo-inertia J = U U', with U upper triangular and positive on its diagonal,

    J = [ tr(I)/2 1 - I   h ]     U = exp(alpha) [ exp(d1)  s12      s13      t1 ]
        [ h'              m ]                    [          exp(d2)  s23      t2 ]
                                                 [                   exp(d3)  t3 ]
                                                 [                            1  ].

J is positive definite exactly if mass is positive, and the inertia that of some distribution of mass.
"""

from __future__ import annotations

from functools import lru_cache

import casadi as ca
import numpy as np

# A body that is a point or a thin rod has a singular J. It gets this part of its largest extent in every direction.
LEAST = 1e-3


def pseudo_inertia(values: np.ndarray) -> np.ndarray:
    """Return J (4, 4) of the ten standard parameters: mass, first moments, inertia xx, yy, zz, xy, xz, yz."""
    m, hx, hy, hz, xx, yy, zz, xy, xz, yz = values
    half = (xx + yy + zz) / 2
    return np.array([[half - xx, -xy, -xz, hx], [-xy, half - yy, -yz, hy], [-xz, -yz, half - zz, hz], [hx, hy, hz, m]])


def is_consistent(values: np.ndarray) -> bool:
    """Whether there is a body with these ten standard parameters: whether J is positive definite, but for rounding."""
    sizes = np.linalg.eigvalsh(pseudo_inertia(values))
    return bool(values[0] > 0 and sizes[0] > -1e-12 * sizes[-1])


def log_cholesky(values: np.ndarray, least_mass: float, extent: float) -> np.ndarray:
    """Return alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3 of the ten standard parameters.

    A body that cannot be, or is a point or a rod, is first given a mass of `least_mass` [kg] and an extent in every
    direction, a part of its own, or of `extent` [m] if it has none.
    """
    J = pseudo_inertia(values)
    mass = max(J[3, 3], least_mass)
    center = J[:3, 3] / mass
    about = J[:3, :3] - mass * np.outer(center, center)
    sizes, axes = np.linalg.eigh(about)
    own = np.sqrt(max(sizes[-1], 0.0) / mass)
    floor = mass * (LEAST * max(own, LEAST * extent)) ** 2
    about = axes * np.maximum(sizes, floor) @ axes.T
    J = np.block([[about + mass * np.outer(center, center), mass * center[:, None]], [mass * center[None], mass]])
    U = np.linalg.cholesky(J[::-1, ::-1])[::-1, ::-1]
    scale = U[3, 3]
    d = np.log(np.diag(U)[:3] / scale)
    s = U[[0, 1, 0], [1, 2, 2]] / scale
    return np.concatenate([[np.log(scale)], d, s, U[:3, 3] / scale])


@lru_cache(maxsize=1)
def standard() -> ca.Function:
    """Return the function (theta (10,)) -> the ten standard parameters, and their derivatives (10, 10)."""
    theta = ca.SX.sym("theta", 10)
    alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3 = ca.vertsplit(theta)
    U = ca.blockcat(
        [[ca.exp(d1), s12, s13, t1], [0, ca.exp(d2), s23, t2], [0, 0, ca.exp(d3), t3], [0, 0, 0, 1]]
    ) * ca.exp(alpha)
    J = U @ U.T
    trace = J[0, 0] + J[1, 1] + J[2, 2]
    moments = [trace - J[0, 0], trace - J[1, 1], trace - J[2, 2], -J[0, 1], -J[0, 2], -J[1, 2]]
    values = ca.vertcat(J[3, 3], J[0, 3], J[1, 3], J[2, 3], *moments)
    return ca.Function("standard", [theta], [ca.densify(values), ca.densify(ca.jacobian(values, theta))])
