"""Eigenvalues and mode shapes of an arm, with exact rigid-body modes.

A free joint gives a double eigenvalue 0 with one shape (position, and the drift that follows from it): a defective
pair, which a plain eigenvalue routine returns as a pair of size sqrt(eps), of any sign. Here the motions at eigenvalue
0 are computed first, as null spaces by singular values, and the rest is solved for without them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.libraries import scipy
from flexblocks.linear.scaling import state_scales

# A coordinate that alone would oscillate slower than this has no stiffness: 1e-5 rad/s is a period of a week.
STILL = 1e-5
# Eigenvalues of a stiffness matrix with unit diagonal below this count as zero.
SLACK = 1e-11


@dataclass(frozen=True, eq=False)
class Eigenmode:
    """Eigenvalue [1/s] with eigenvector (nx,) of the states; of a conjugate pair the one with Im > 0."""

    eigenvalue: complex
    shape: np.ndarray


def conservative(mass: np.ndarray, stiffness: np.ndarray) -> list[Eigenmode]:
    """Return the modes of a conservative system M q'' + K q = 0 with symmetric matrices (n, n).

    The squares of the eigenvalues are real, hence the damping of oscillations is exactly zero.
    """
    K = (stiffness + stiffness.T) / 2
    rigid = _slack(mass, K)
    rest = scipy.linalg.null_space(rigid.T @ mass) if rigid.size else np.eye(len(mass))
    squares, coefficients = np.zeros(0), np.zeros((0, 0))
    if rest.shape[1]:
        squares, coefficients = scipy.linalg.eigh(rest.T @ K @ rest, rest.T @ mass @ rest)
    modes = [Eigenmode(0.0, np.concatenate([shape, 0 * shape])) for shape in rigid.T]
    for square, shape in zip(squares, (rest @ coefficients).T, strict=True):
        roots = [1j * np.sqrt(square)] if square > 0 else [np.sqrt(-square), -np.sqrt(-square)]
        modes += [Eigenmode(complex(root), np.concatenate([shape, root * shape])) for root in roots]
    return modes


def general(A: np.ndarray) -> list[Eigenmode]:
    """Return the modes of a general system x' = A x; of a defective eigenvalue 0 the proper eigenvectors only."""
    scale = state_scales(A)
    balanced = A / scale[:, None] * scale
    zero, modes = _reduced(balanced)
    rigid = [Eigenmode(0.0, scale * shape) for shape in _echelon(zero).T]
    return rigid + [Eigenmode(mode.eigenvalue, scale * mode.shape) for mode in modes]


def _reduced(A: np.ndarray) -> tuple[np.ndarray, list[Eigenmode]]:
    """Return the null space (nx, r) of A, and the modes at all other eigenvalues, by deflation of the null space."""
    tolerance = 100 * len(A) * np.finfo(float).eps
    zero = scipy.linalg.null_space(A, rcond=tolerance)
    if not zero.shape[1]:
        values, vectors = np.linalg.eig(A)
        pairs = zip(values, vectors.T, strict=True)
        return zero, [Eigenmode(complex(value), vector) for value, vector in pairs if value.imag >= 0]
    across = scipy.linalg.null_space(zero.T)
    if not across.shape[1]:
        return zero, []
    # In the basis (zero, across) A is block triangular: its first columns vanish.
    _, modes = _reduced(across.T @ A @ across)
    along = zero.T @ A @ across
    full = [across @ mode.shape + zero @ (along @ mode.shape) / mode.eigenvalue for mode in modes]
    return zero, [Eigenmode(mode.eigenvalue, shape) for mode, shape in zip(modes, full, strict=True)]


def _slack(mass: np.ndarray, K: np.ndarray) -> np.ndarray:
    """Return rigid-body shapes (n, r), orthonormal in the mass matrix: the null space of K.

    Each coordinate is scaled by its diagonal stiffness, so that a soft joint is not lost beside a stiff beam.
    """
    diagonal = np.maximum(np.abs(np.diag(K)), STILL**2 * np.diag(mass))
    scale = 1 / np.sqrt(diagonal)
    values, vectors = np.linalg.eigh(K * np.outer(scale, scale))
    shapes = _echelon(scale[:, None] * vectors[:, np.abs(values) < SLACK])
    if not shapes.size:
        return shapes
    lower = np.linalg.cholesky(shapes.T @ mass @ shapes)
    return np.linalg.solve(lower, shapes.T).T


def _echelon(shapes: np.ndarray) -> np.ndarray:
    """Return the shapes (n, r) in reduced echelon form: each moves one coordinate by 1 that the others leave at 0."""
    if not shapes.size:
        return shapes
    *_, order = scipy.linalg.qr(shapes.T, pivoting=True, mode="economic")
    pivots = np.sort(order[: shapes.shape[1]])
    return np.linalg.solve(shapes[pivots].T, shapes.T).T
