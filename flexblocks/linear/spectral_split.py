"""Spectral decomposition of a linear system into two decoupled parts, by their eigenvalues."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.libraries import scipy
from flexblocks.linear.scaling import state_scales


@dataclass(frozen=True, eq=False)
class InvariantSubspace:
    """Invariant subspace of x' = A x, and the system on it.

    Attributes
    ----------
    A : ndarray (k, k)
        The part itself.
    right : ndarray (n, k)
        Where its coordinates are among the states: A_whole @ right = right @ A.
    left : ndarray (k, n)
        Which coordinates a state has: left @ right is the identity, left @ A_whole = A @ left.
    """

    A: np.ndarray
    right: np.ndarray
    left: np.ndarray


def split_rigid(A: np.ndarray) -> tuple[InvariantSubspace, InvariantSubspace]:
    """Split into the part with eigenvalue 0 and the rest.

    The first part is exactly nilpotent: its matrix has zeros on and below its diagonal. Positions that meet no
    stiffness are a null space; the rates behind them come to light as a null space of what is left, and so on. That is
    decided by singular values, where a plain eigenvalue routine splits a double eigenvalue 0 by the root of rounding.
    """
    scale = state_scales(A)
    balanced = A / scale[:, None] * scale
    inner, outer, nilpotent = _null_chain(balanced)
    rigid, rest = _decoupled(balanced, inner, outer, nilpotent)
    return tuple(InvariantSubspace(part.A, scale[:, None] * part.right, part.left / scale) for part in (rigid, rest))  # pyright: ignore


def split_stable(A: np.ndarray, margin: float) -> tuple[InvariantSubspace, InvariantSubspace]:
    """Split into the part with damping ratios below `margin` and the rest."""
    T, Q, count = scipy.linalg.schur(A, sort=lambda re, im: re > -margin * np.hypot(re, im))  # pyright: ignore
    return _decoupled(A, Q[:, :count], Q[:, count:], T[:count, :count])


def _decoupled(
    A: np.ndarray, inner: np.ndarray, outer: np.ndarray, first: np.ndarray
) -> tuple[InvariantSubspace, InvariantSubspace]:
    """Decouple an invariant subspace with the orthonormal basis `inner` from its complement `outer`."""
    second, between = outer.T @ A @ outer, inner.T @ A @ outer
    X = scipy.linalg.solve_sylvester(first, -second, -between) if between.size else np.zeros(between.shape)
    return InvariantSubspace(first, inner, inner.T - X @ outer.T), InvariantSubspace(second, outer + inner @ X, outer.T)


def _null_chain(A: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return orthonormal bases of the generalised null space and of its complement, and A on the former."""
    zero = scipy.linalg.null_space(A, rcond=100 * len(A) * np.finfo(float).eps) if A.size else A
    if not zero.shape[1]:
        return np.zeros((len(A), 0)), np.eye(len(A)), np.zeros((0, 0))
    across = scipy.linalg.null_space(zero.T)
    inner, outer, nilpotent = _null_chain(across.T @ A @ across)
    k, m = zero.shape[1], inner.shape[1]
    whole = np.zeros((k + m, k + m))
    whole[:k, k:] = zero.T @ A @ across @ inner
    whole[k:, k:] = nilpotent
    return np.hstack([zero, across @ inner]), across @ outer, whole
