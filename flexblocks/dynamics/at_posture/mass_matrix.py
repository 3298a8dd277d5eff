"""Numerical mass matrix at one posture, by the body Jacobians from the ground to the tips; and its weakest motion.

For one posture it takes a fraction of the time of deriving M(q), and is independent of that derivation. The weakest
motion is that of least kinetic energy, which is zero where the mass matrix is singular.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from flexblocks.dynamics.at_posture.block_numbers import PostureNumbers
from flexblocks.dynamics.tree.tree import Tree

# Smallest eigenvalue of a mass matrix with unit diagonal that is more than rounding, per coordinate.
ROUNDING = 1e-13
# Share of a coordinate in the weakest motion from which on messages name it.
NAMED = 0.1


def mass_at_posture(
    tree: Tree, q: np.ndarray, p: np.ndarray, *dependent: np.ndarray, columns: Sequence[int] | None = None
) -> np.ndarray:
    """Return M (n, n) at coordinates (n), symbolic parameters (np) and dependent variables (k), if any.

    With `columns` only its part (m, m) of these coordinates.
    """
    n = tree.size if columns is None else len(columns)
    return sum((M for _, M in _of_bodies(tree, q, p, *dependent, columns=columns)), np.zeros((n, n)))


def masses_at_posture(tree: Tree, q: np.ndarray, p: np.ndarray, *dependent: np.ndarray) -> dict[str, np.ndarray]:
    """Return by block its share (n, n) of the mass matrix, of all blocks with inertia; arguments as for the whole."""
    return {tree.bodies[index].name: M for index, M in _of_bodies(tree, q, p, *dependent)}


def _of_bodies(
    tree: Tree, q: np.ndarray, p: np.ndarray, *dependent: np.ndarray, columns: Sequence[int] | None = None
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the index of each body with inertia, and its share of the mass matrix."""
    numbers, n = PostureNumbers(tree, q, p, *dependent), tree.size if columns is None else len(columns)
    # Of each body so far the Jacobian (6 + n_block, n) of inlet twist and rates.
    jacobians: list[np.ndarray] = []
    for index, body in enumerate(tree.bodies):
        inlet = np.zeros((6, n))
        if body.parent is not None and body.outlet is not None:
            inlet = numbers.map(body.parent, body.outlet) @ jacobians[body.parent]
        rates = body.share.full() if columns is None else body.share.within(columns)
        jacobians.append(np.vstack([inlet, rates]))
        if body.terms.has_inertia:
            yield index, jacobians[-1].T @ numbers.inertia(index) @ jacobians[-1]


def solve_scaled(M: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return M^-1 right (n, k) for a regular mass matrix (n, n), scaled to unit diagonal."""
    scale = np.sqrt(np.diag(M))[:, None]
    return np.linalg.solve(M / (scale * scale.T), right / scale) / scale


def mass_root(M: np.ndarray) -> np.ndarray:
    """Return a factor L of a mass matrix M = L L' (n, n), as a metric of motions.

    What rounding may leave of an inertia is the least of each principal one, so that there is a factor that can be
    inverted of a singular M, too, and of one that rounding has made indefinite.
    """
    diagonal = np.diag(M)
    size = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    inertia, axes = np.linalg.eigh(M / np.outer(size, size))
    return size[:, None] * (axes * np.sqrt(np.maximum(inertia, len(M) * ROUNDING)))


def weakest_motion(M: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the smallest eigenvalue of a mass matrix (n, n) scaled to unit diagonal, and shares (n,) in its motion.

    Scaled so, it is a pure number whatever the units of the coordinates, about the inverse of the condition. The shares
    of the coordinates add up to 1. A matrix that is not finite has the eigenvalue 0.
    """
    lost = ~np.all(np.isfinite(M), axis=1)
    if lost.any():
        return 0.0, lost / lost.sum()
    diagonal = np.diag(M)
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    values, vectors = np.linalg.eigh(M / np.outer(scale, scale))
    return float(values[0]), vectors[:, 0] ** 2


def condition(M: np.ndarray) -> float:
    """Return the condition number of a mass matrix (n, n) scaled to unit diagonal; infinite if that is indefinite."""
    if not np.all(np.isfinite(M)) or np.any(np.diag(M) <= 0):
        return np.inf
    size = np.sqrt(np.diag(M))
    values = np.linalg.eigvalsh(M / np.outer(size, size))
    return float(values[-1] / values[0]) if values[0] > 0 else np.inf


def smallest_eigenvalues(M: np.ndarray) -> np.ndarray:
    """Return the smallest eigenvalues (k,) of mass matrices (k, n, n) scaled to unit diagonal, as `weakest_motion`."""
    finite = np.all(np.isfinite(M), axis=(1, 2))
    M = np.where(finite[:, None, None], M, 0.0)
    diagonal = np.diagonal(M, axis1=1, axis2=2)
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    return np.where(finite, np.linalg.eigvalsh(M / (scale[:, :, None] * scale[:, None]))[:, 0], 0.0)


def is_massless(value: float, size: int) -> bool:
    """Return whether the smallest eigenvalue of a scaled mass matrix of this size is zero up to rounding."""
    return not value > ROUNDING * size
