"""Frequencies of a uniform rotating cantilever whose sections have rotary inertia, by Ritz's method with polynomials.

Independent of the library: deflections x^2 P_k(x), the tension of the rotation, the inertia of sections that tilt.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import legendre
from scipy.linalg import eigh

COUNT = 16


def frequencies(speed: float, lag: float, flap: float, polar: float, out_of_plane: bool) -> np.ndarray:
    """Return the frequencies over sqrt(EI/(m l^4)) about a steady rotation at `speed` about z.

    Parameters
    ----------
    speed : float
        Over sqrt(EI/(m l^4)).
    lag, flap, polar : float
        Inertia of sections that turn about z, about y and about x, in units of m l^2 per length.
    out_of_plane : bool
        Flapwise, along z; else lagwise, in the plane of rotation.

    Notes
    -----
    Per length T = 1/2 m |velocity|^2 + 1/2 sum J_i omega_i^2; a section that has tilted by psi about y has omega_x =
    speed psi, omega_z = speed (1 - psi^2/2) and omega_y = psi'.
    """
    nodes, weights = legendre.leggauss(3 * COUNT)
    x, w = (nodes + 1) / 2, weights / 2
    f, slope, curvature = np.zeros((3, COUNT, len(x)))
    for k in range(COUNT):
        shape = np.polynomial.Polynomial([0, 0, 1]) * legendre.Legendre.basis(k, [0, 1]).convert(
            kind=np.polynomial.Polynomial
        )
        f[k], slope[k], curvature[k] = shape(x), shape.deriv()(x), shape.deriv(2)(x)
    tension = speed**2 * (1 - x**2) / 2
    stiffness = (curvature * w) @ curvature.T + (slope * w * tension) @ slope.T
    mass, turning = (f * w) @ f.T, (slope * w) @ slope.T
    if out_of_plane:
        stiffness -= speed**2 * (polar - lag) * turning
        mass += flap * turning
    else:
        stiffness -= speed**2 * mass
        mass += lag * turning
    size = np.sqrt(np.diag(stiffness))
    return np.sqrt(eigh(stiffness / np.outer(size, size), mass / np.outer(size, size), eigvals_only=True))
