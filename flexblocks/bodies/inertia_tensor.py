"""Mass matrix of a body in rigid motions and modes, from its integrals."""

from __future__ import annotations

import numpy as np


def moment_of_inertia(second: np.ndarray) -> np.ndarray:
    """Return the moment of inertia (3, 3) from the integral of r r' over the mass."""
    return np.trace(second) * np.eye(3) - second


def axial(matrix: np.ndarray) -> np.ndarray:
    """Return the integral of r x p from that of r p', (..., 3) of (..., 3, 3)."""
    A = matrix
    return np.stack([A[..., 1, 2] - A[..., 2, 1], A[..., 2, 0] - A[..., 0, 2], A[..., 0, 1] - A[..., 1, 0]], axis=-1)


def cross_matrix(vector: np.ndarray) -> np.ndarray:
    """Return the matrix (3, 3) of the cross product with a vector."""
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def inertia_matrix(mass: float, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the undeformed mass matrix (6 + n, 6 + n) in the order (omega, v, rates of the modes)."""
    S, rotation = cross_matrix(first[0]), axial(second[0, 1:]).T
    modal = np.trace(second[1:, 1:], axis1=2, axis2=3)
    return np.block(
        [
            [moment_of_inertia(second[0, 0]), S, rotation],
            [S.T, mass * np.eye(3), first[1:].T],
            [rotation.T, first[1:], modal],
        ]
    )
