"""Elastic rods at large deflections: the elastica by elliptic integrals, Kirchhoff's rod as a boundary value problem.

Both are written from the differential equations of a rod, apart from everything in the library.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.integrate import solve_bvp, solve_ivp
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation
from scipy.special import ellipeinc, ellipkinc


def elastica(load: float) -> tuple[float, float]:
    """Return the place (x, y) of the tip of a cantilever of unit length under a dead transverse load P l^2/(EI).

    Bisshopp & Drucker (Quart. Appl. Math. 3, 1945, 272-275): with k^2 = (1 + sin a)/2, a the slope of the tip,
    sqrt(load) = F(pi/2, k) - F(b, k), sin b = 1/(k sqrt 2).
    """

    def integrals(k: float) -> tuple[float, float]:
        b, m = np.arcsin(1 / (k * np.sqrt(2))), k**2
        return (
            float(ellipkinc(np.pi / 2, m) - ellipkinc(b, m)),
            float(ellipeinc(np.pi / 2, m) - ellipeinc(b, m)),
        )

    k = brentq(lambda k: integrals(k)[0] - np.sqrt(load), np.sqrt(0.5) + 1e-14, 1 - 1e-13, xtol=1e-15)
    F, E = integrals(k)
    return float(np.sqrt(2 * (2 * k**2 - 1) / load)), 1 - 2 * E / F if load else 0.0


def kirchhoff_rod(rigidities: tuple[float, float, float], force: np.ndarray, moment: np.ndarray) -> np.ndarray:
    """Return the place (3) of the tip of a clamped rod of unit length under a dead force and a dead moment at its tip.

    Parameters
    ----------
    rigidities : tuple of 3 floats
        GJ, EI about the second axis of the section (bending along z), EI about the third (bending along y).
    force, moment : ndarray (3,)
        In the axes of the clamped end.

    Notes
    -----
    r' = d1; q' = 1/2 q (0, u); M' = -r' x F, and u = B^-1 R' M, with the directors R of a unit quaternion q.
    """
    B = np.array(rigidities)

    def rates(_: np.ndarray, state: np.ndarray) -> np.ndarray:
        out = np.empty_like(state)
        for i, (q, M) in enumerate(zip(state[3:7].T, state[7:].T, strict=True)):
            R = Rotation.from_quat(q).as_matrix()
            u = R.T @ M / B
            (x, y, z, w), size = q, q @ q
            out[:3, i] = R[:, 0]
            turned = [w * u[0] + y * u[2] - z * u[1], w * u[1] + z * u[0] - x * u[2], w * u[2] + x * u[1] - y * u[0]]
            out[3:7, i] = 0.5 * np.array([*turned, -(q[:3] @ u)]) + (1 - size) * q
            out[7:, i] = -np.cross(R[:, 0], force)
        return out

    start = np.array([0, 0, 0, 0, 0, 0, 1.0])
    s = np.linspace(0, 1, 21)
    guess = np.zeros((10, len(s)))
    guess[0], guess[6] = s, 1.0
    found = solve_bvp(
        rates, lambda a, b: np.concatenate([a[:7] - start, b[7:] - moment]), s, guess, tol=1e-7, max_nodes=5000
    )
    assert found.success, found.message
    return found.sol(1.0)[:3]


def places(curvatures, q: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return places (k, 3) and axes (k, 3, 3) of sections of a rod of unit length, by integration of its directors.

    `curvatures` (xi, q) -> (3,): twist and curvatures in the axes of the section.
    """

    def rates(xi: float, state: np.ndarray) -> np.ndarray:
        R, (a, b, c) = state[3:].reshape(3, 3), curvatures(xi, q)
        return np.concatenate([R[:, 0], (R @ np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]])).ravel()])

    state, found = np.array([0, 0, 0, *np.eye(3).ravel()], dtype=float), []
    for start, end in pairwise([0.0, *at]):  # an interpolation between steps would lose digits
        state = solve_ivp(rates, (start, end), state, rtol=1e-11, atol=1e-13, method="DOP853").y[:, -1]
        found.append(state)
    states = np.array(found)
    return states[:, :3], states[:, 3:].reshape(-1, 3, 3)
