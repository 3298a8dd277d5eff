"""The equations of Yu & Chen (2019) in numpy, by their matrices U, J_u, J_v: written from the paper, no CasADi.

Links deflect by two sines against their chords; x runs from -l at the joint to 0 at the end (eqs 1-4). The integrals
over a link (eqs 16-19, 28) are taken by quadrature from what they stand for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

G = 9.81
Q = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])  # eq 7
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(24)


@dataclass(frozen=True)
class Link:
    """A uniform link with a lumped mass at x = mu l: mu = 0 at its end, -1 at its joint."""

    length: float
    mass: float
    lumped_mass: float
    mu: float = 0.0


@dataclass(frozen=True)
class Matrices:
    """The matrices of eq 33 at one state; H_thf as printed in eq 39, and as it must be."""

    M: np.ndarray
    H_thth: np.ndarray
    H_thf: np.ndarray
    H_thf_printed: np.ndarray
    H_f: np.ndarray
    weight: np.ndarray

    def velocity_force(self, v: np.ndarray, printed: bool = False) -> np.ndarray:
        """Return H q' (3n)."""
        n = len(self.H_thth)
        H_thf = self.H_thf_printed if printed else self.H_thf
        return np.concatenate([self.H_thth @ v[:n] + H_thf @ v[n:], self.H_f @ v[:n]])


def matrices(links: list[Link], q: np.ndarray, v: np.ndarray) -> Matrices:
    """Return the matrices at q = (theta, f), v = q'."""
    n = len(links)
    theta, f, rate = q[:n], q[n:].reshape(n, 2), v[:n]
    A = [_transform(angle, link.length) for angle, link in zip(theta, links, strict=True)]

    def U(i: int, *joints: int) -> np.ndarray:
        """Return the derivative of A_1 ... A_i in the angles of `joints` (eqs 9, 11); zero if one is beyond i."""
        if max(joints, default=0) > i:
            return np.zeros((3, 3))
        factors = [np.linalg.matrix_power(Q, joints.count(k)) @ A[k] for k in range(i + 1)]
        return reduce(np.matmul, factors)

    J = [_integrals(link, deflection) for link, deflection in zip(links, f, strict=True)]
    Ju = [found[0] for found in J]
    Jv = [found[1] for found in J]
    N, modes = range(n), [(j, k) for j in range(n) for k in range(2)]
    M = np.zeros((3 * n, 3 * n))
    M[:n, :n] = [[sum(np.trace(U(j, k) @ Ju[j] @ U(j, i).T) for j in N) for k in N] for i in N]
    M[:n, n:] = [[np.trace(U(j, i) @ Jv[j][k] @ U(j).T) for j, k in modes] for i in N]
    M[n:, :n] = M[:n, n:].T
    for j in N:
        M[n + 2 * j : n + 2 * j + 2, n + 2 * j : n + 2 * j + 2] = J[j][2]
    H_thth = [[sum(np.trace(U(j, k, m) @ Ju[j] @ U(j, i).T) * rate[m] for j in N for m in N) for k in N] for i in N]
    # A derivative of J_u in a deflection is J_v + J_v' (eqs 27, 28).
    printed = [
        [sum(np.trace(U(j, k) @ (Jv[j][m] + Jv[j][m].T) @ U(j, i).T) * rate[k] for k in N) for j, m in modes] for i in N
    ]
    right = [[2 * sum(np.trace(U(j, i) @ Jv[j][m] @ U(j, k).T) * rate[k] for k in N) for j, m in modes] for i in N]
    H_f = [
        [
            sum(
                np.trace(U(i, j, k) @ Jv[i][m] @ U(i).T + U(i, j) @ (Jv[i][m] - Jv[i][m].T) / 2 @ U(i, k).T) * rate[k]
                for k in N
            )
            for j in N
        ]
        for i, m in modes
    ]
    down = np.array([0.0, -G, 0.0])
    # Eq 41: the weight of straight links.
    middle = [np.array([-link.length / 2, 0.0, 1.0]) for link in links]
    lump = [np.array([link.mu * link.length, 0.0, 1.0]) for link in links]
    weight = [-sum(down @ U(j, i) @ (links[j].mass * middle[j] + links[j].lumped_mass * lump[j]) for j in N) for i in N]
    return Matrices(M, np.array(H_thth), np.array(right), np.array(printed), np.array(H_f), np.array(weight))


def _transform(angle: float, length: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, length * c], [s, c, length * s], [0.0, 0.0, 1.0]])


def _integrals(link: Link, f: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return J_u (3, 3), J_v for both modes (2, 3, 3) and M_ff (2, 2) of a link with its lumped mass."""
    x = np.append(link.length * (POINTS - 1) / 2, link.mu * link.length)
    mass = np.append(link.mass * WEIGHTS / 2, link.lumped_mass)
    sines = np.sin(np.pi * np.outer([1, 2], x) / link.length)
    r = np.array([x, f @ sines, np.ones_like(x)])
    Jv = np.array([(r * mass * sine)[:, :, None].sum(axis=1) @ [[0.0, 1.0, 0.0]] for sine in sines])
    return (r * mass) @ r.T, Jv, (sines * mass) @ sines.T
