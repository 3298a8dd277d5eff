"""Interpolation of mass matrices between postures, by the velocities whose squares they are.

A kinetic energy is the square of velocities, M = F F', and velocities are what changes evenly with the posture. Of the
mass matrices around a place the factors are interpolated, by cubic polynomials, turned so that they are as near to that
of the first one as they can be:

    M = F F',    F = sum_i w_i F_i Q_i,    Q_i = argmin |F_0 - F_i Q|

A body that moves in few directions, such as a heavy payload, then adds no mass in the others (the rank of its matrix
stays), where polynomials in M would add a share of its large one to their small one. Between two matrices this is the
geodesic of Bures and Wasserstein.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexblocks.linear.grid.lagrange_interpolation import POINTS, weights


def between(first: np.ndarray, second: np.ndarray, share: float) -> np.ndarray:
    """Return the matrix (n, n) on the geodesic between two symmetric positive semidefinite ones.

    Parameters
    ----------
    first, second : ndarray (n, n)
    share : float
        Of the way, from 0 (the first) to 1.

    Notes
    -----
    Bhatia, Jain & Lim, Expositiones Mathematicae 37 (2019) 165-191, section 3.
    """
    return combined(np.array([first, second]), np.array([1 - share, share]), 0)


def combined(matrices: np.ndarray, shares: np.ndarray, reference: int) -> np.ndarray:
    """Return the squares (..., n, n) of the combined factors of symmetric positive semidefinite matrices.

    Parameters
    ----------
    matrices : ndarray (k, ..., n, n)
    shares : ndarray (k,)
        Their sum is 1.
    reference : int
        The matrix with whose factor the others are aligned.

    Notes
    -----
    Rows and columns are scaled to a mean diagonal of one before, so that the result does not depend on units.
    """
    used = np.flatnonzero(shares)
    if len(used) == 1 or np.all(matrices == matrices[:1]):
        return matrices[used[0]]
    size = np.sqrt(np.diagonal(matrices, axis1=-2, axis2=-1).mean(axis=0))
    size = np.where(size > 0, size, 1.0)
    scale = size[..., :, None] * size[..., None, :]
    F = _factors(matrices / scale)
    U, _, V = np.linalg.svd(np.swapaxes(F, -1, -2) @ F[reference])
    middle = np.tensordot(shares, F @ (U @ V), axes=1)
    return (middle @ np.swapaxes(middle, -1, -2)) * scale


def interpolated_mass(
    values: np.ndarray, nodes: Sequence[np.ndarray], affine: Sequence[bool], place: Sequence[float]
) -> np.ndarray:
    """Return the mass matrix (n, n) at a place in a grid.

    Parameters
    ----------
    values : ndarray (..., n, n)
        At the nodes, one dimension for each axis.
    nodes : sequence of ndarray
        The increasing values of each axis.
    affine : sequence of bool
        Axes on which the matrix depends as a + b x: there linear interpolation is exact.
    place : sequence of float
        The value on each axis.
    """
    # One axis after the other, affine ones first; by this order, too, neighbouring cells agree on their common side.
    remaining = list(range(len(nodes)))
    for axis in sorted(remaining, key=lambda axis: not affine[axis]):
        (shares,) = weights(nodes[axis], np.array([place[axis]]), 2 if affine[axis] else POINTS)
        near = np.flatnonzero(shares)
        matrices = np.moveaxis(values, remaining.index(axis), 0)[near]
        remaining.remove(axis)
        if affine[axis]:
            values = np.tensordot(shares[near], matrices, axes=1)
        else:
            # The last node before the place: the same one throughout a cell.
            cell = int(np.searchsorted(nodes[axis][near], place[axis], side="right")) - 1
            values = combined(matrices, shares[near], max(cell, 0))
    return values


def _factors(matrices: np.ndarray) -> np.ndarray:
    """Return F (..., n, n) with F F' = matrices."""
    squares, vectors = np.linalg.eigh(matrices)
    return vectors * np.sqrt(np.maximum(squares, 0.0))[..., None, :]
