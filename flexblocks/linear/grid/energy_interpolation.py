"""Interpolation of mass matrices between postures: along geodesics of Bures and Wasserstein.

A kinetic energy is the square of velocities, M = F F', and velocities are what changes evenly with the posture. Between
two mass matrices the factors are interpolated, turned so that they are as near to each other as they can be:

    M(s) = F(s) F(s)',    F(s) = (1 - s) F_0 + s F_1 Q,    Q = argmin |F_0 - F_1 Q|

A body that moves in few directions, such as a heavy payload, then adds no mass in the others (the rank of its matrix
stays), where linear interpolation would add a share of its large one to their small one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def between(first: np.ndarray, second: np.ndarray, share: float) -> np.ndarray:
    """Return the matrix (n, n) on the geodesic between two symmetric positive semidefinite ones.

    Parameters
    ----------
    first, second : ndarray (n, n)
    share : float
        Of the way, from 0 (the first) to 1.

    Notes
    -----
    Rows and columns are scaled to a mean diagonal of one before, so that the result does not depend on units.
    Bhatia, Jain & Lim, Expositiones Mathematicae 37 (2019) 165-191, section 3.
    """
    if share in (0.0, 1.0) or np.array_equal(first, second):
        return second if share == 1.0 else first
    size = np.sqrt((np.diag(first) + np.diag(second)) / 2)
    size = np.where(size > 0, size, 1.0)
    scale = np.outer(size, size)
    F, G = _factor(first / scale), _factor(second / scale)
    U, _, V = np.linalg.svd(G.T @ F)
    middle = (1 - share) * F + share * (G @ (U @ V))
    return (middle @ middle.T) * scale


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
    # The cell, its corners along the first dimensions, and the shares of the way on each axis.
    shares = []
    for axis, (ticks, value) in enumerate(zip(nodes, place, strict=True)):
        i = int(np.clip(np.searchsorted(ticks, value, side="right") - 1, 0, len(ticks) - 2))
        values = values.take([i, i + 1], axis=axis)
        shares.append(float((value - ticks[i]) / (ticks[i + 1] - ticks[i])))
    # One axis after the other, affine ones first; by this order, too, neighbouring cells agree on their common side.
    remaining = list(range(len(shares)))
    for axis in sorted(remaining, key=lambda axis: not affine[axis]):
        first, second = (values.take(k, axis=remaining.index(axis)) for k in (0, 1))
        remaining.remove(axis)
        share = shares[axis]
        if affine[axis]:
            values = (1 - share) * first + share * second
        else:
            values = np.empty_like(first)
            for corner in np.ndindex(first.shape[:-2]):
                values[corner] = between(first[corner], second[corner], share)
    return values


def _factor(matrix: np.ndarray) -> np.ndarray:
    """Return F with F F' = matrix."""
    squares, vectors = np.linalg.eigh(matrix)
    return vectors * np.sqrt(np.maximum(squares, 0.0))
