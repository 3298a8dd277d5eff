"""Weights of the closures in M + J'W J, which the accelerations of closed loops are solved with.

A closure may weigh as much as what moves with it while the loops stay closed, and no more: what is heavier than a
motion costs that motion its digits. Nor should it weigh less, as the forces on the open loops, which the closures hold,
would accelerate these without bound. With one weight for all closures, a geared rotor of 4e6 kg m2 anywhere in an arm
takes ten digits from a ball joint with 4e-7 kg m2.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from flexblocks.dynamics.at_posture.mass_matrix import mass_root
from flexblocks.libraries import scipy

# Share of the largest inertia below which that of a coordinate is a rounding error.
MASSLESS = 1e-20
# How many times as heavy as the lightest coordinate that it holds a closure is at the most, or forces in the loop would
# have no digits of the inertia forces where nothing moves with a closure.
HEAVIEST = 100.0
# Share of the largest pivot of J below which links are in line.
IN_LINE = 1e-8


def closure_weights(postures: Iterable[tuple[np.ndarray, np.ndarray]], kinds: np.ndarray) -> np.ndarray:
    """Return the weights (m), diagonal of W, of closures.

    Parameters
    ----------
    postures : iterable of (ndarray (n, n), ndarray (m, n))
        Mass matrix M and Jacobian J of the closures, in a few postures, as in one alone entries of J may vanish.
    kinds : ndarray (m,)
        Number of the vector of which each closure is a component. Its components weigh the same, as its axes turn with
        the arm.
    """
    if not len(kinds):
        return np.zeros(0)  # links that are fixed to each other, and meet as they are
    of_row = np.max([_lightness(M, J) for M, J in postures], axis=0)
    light = np.array([np.max(of_row[kinds == kind]) for kind in kinds])
    known = light > 0
    # A closure of coordinates without mass that do not move takes any weight.
    other = np.median(light[known]) if known.any() else 1.0
    return 1 / np.where(known, light, other)


def _lightness(M: np.ndarray, J: np.ndarray) -> np.ndarray:
    """Return the inverse (m) of the mass that moves with each closure."""
    mass = np.diag(M)
    moved = mass > MASSLESS * np.max(mass, initial=0.0)
    alone = np.zeros(len(mass))
    alone[moved] = 1 / mass[moved]
    return J**2 @ (_mobility(M, J) + alone / HEAVIEST)


def _mobility(M: np.ndarray, J: np.ndarray) -> np.ndarray:
    """Return the acceleration (n) of each coordinate under a unit force on itself, with the loops closed."""
    motions = _closed_motions(J)
    root = mass_root(motions.T @ M @ motions)
    return np.sum(np.linalg.solve(root, motions.T) ** 2, axis=0)


def _closed_motions(J: np.ndarray) -> np.ndarray:
    """Return motions (n, k) that keep the loops closed: each of one coordinate, and those that depend on it.

    There are n - m of them, and more where links are in line.
    """
    factors = scipy.linalg.qr(J, pivoting=True, mode="r")
    R, order = np.asarray(factors[0]), np.asarray(factors[-1])
    diagonal = np.abs(np.diag(R))
    rank = int(np.sum(diagonal > IN_LINE * diagonal[0]))
    motions = np.zeros((J.shape[1], J.shape[1] - rank))
    motions[order[:rank]] = -scipy.linalg.solve_triangular(R[:rank, :rank], R[:rank, rank:])
    motions[order[rank:]] = np.eye(J.shape[1] - rank)
    return motions
