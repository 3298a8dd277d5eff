"""Minimal form of a descriptor form: independent states only, E eliminated.

All variables move with the independent states x and the inputs, X = T x + U u. Equations are taken along the
motions on which constraint forces do no work, L' E der(X) = L' (A X + B u). These are the same motions, but for
prescribed coordinates: no force moves them, and others that follow them by a loop do not work with them.
"""

from __future__ import annotations

import dataclasses
from typing import TypeVar

import numpy as np

from flexblocks.errors import SingularMassError, listing
from flexblocks.libraries import scipy
from flexblocks.linear.forms.layout import Layout, layout_of
from flexblocks.linear.forms.linear_system import LinearSystem

System = TypeVar("System", bound=LinearSystem)

# An entry below this fraction of the terms it is the sum of is rounding.
ROUNDING = 1e-14
# Motions along which forces do no work are those of the arm up to rounding, unless coordinates are prescribed.
ALIKE = 1e-6


def eliminated(lin: System, N: np.ndarray, drift: np.ndarray, bend: np.ndarray) -> System:
    """Return the minimal form of a descriptor form.

    Parameters
    ----------
    lin : LinearSystem
        In the descriptor form; its structure names the independent coordinates.
    N : ndarray (n, d)
        Motion of all coordinates with the independent ones.
    drift, bend : ndarray (n, d), (n, k)
        Additions to N der(q_i) and N der(v_i) where loops move: derivatives of rates in the independent coordinates,
        and of accelerations in the independent states.

    Raises
    ------
    SingularMassError
        Some motion of the independent coordinates moves no mass.
    """
    # Variables X = T x + U u, their derivatives E der(X) = E (T der(x) + R x), and the projection L.
    layout = layout_of(lin)
    E, A, n, free, independent = lin.E, lin.A, layout.size, layout.free, layout.positions
    d, k = len(independent), 2 * len(independent) + len(free)
    T, L, R, U = (np.zeros((len(E), columns)) for columns in (k, k, k, len(lin.inputs)))
    T[:n, :d] = T[n : 2 * n, d : 2 * d] = N
    L[n : 2 * n, d : 2 * d] = virtual = _virtual_motions(
        E[n : 2 * n, n : 2 * n], A[n : 2 * n, layout.closures], layout, N
    )
    T[n : 2 * n, :d], R[n : 2 * n] = drift, bend
    T[free, np.arange(2 * d, k)] = L[free, np.arange(2 * d, k)] = L[independent, np.arange(d)] = 1.0
    # Eliminate algebraic variables.
    if layout.solved.size:
        known = np.hstack([A[layout.solved] @ T, lin.B[layout.solved]])
        following = -np.linalg.solve(A[np.ix_(layout.solved, layout.solved)], known)
        T[layout.solved], U[layout.solved] = following[:, :k], following[:, k:]
    projected = L.T @ (A @ T - E @ R)
    size = np.abs(L.T) @ (np.abs(A) @ np.abs(T) + np.abs(E) @ np.abs(R))
    projected = np.where(np.abs(projected) > ROUNDING * size, projected, 0.0)
    # Second-order form, and accelerations solved for.
    driven = L.T @ (lin.B + A @ U)
    balance, mass = slice(d, 2 * d), virtual.T @ E[n : 2 * n, n : 2 * n] @ N
    damping, stiffness = -projected[balance, d : 2 * d], -projected[balance, :d]
    both = np.hstack([projected, driven])
    try:
        factor = scipy.linalg.cho_factor(mass)
    except np.linalg.LinAlgError:
        raise SingularMassError(
            f"LinearModel '{lin.name}': the mass matrix of its coordinates ({listing(lin.structure.coordinates)}) is "
            "singular: some motion of these moves no mass. Take another operating point, or another cell of the grid."
        ) from None
    both[balance] = scipy.linalg.cho_solve(factor, both[balance])
    kept = [*independent, *(n + independent), *free]
    return dataclasses.replace(
        lin,
        A=both[:, :k],
        B=both[:, k:],
        C=lin.C @ T,
        D=lin.D + lin.C @ U,
        E=np.eye(k),
        states=tuple(lin.states[i] for i in kept),
        state_units=tuple(lin.state_units[i] for i in kept),
        equations=(),
        equation_units=(),
        structure=dataclasses.replace(lin.structure, mass=mass, damping=damping, stiffness=stiffness),
    )


def _virtual_motions(M: np.ndarray, forces: np.ndarray, layout: Layout, N: np.ndarray) -> np.ndarray:
    """Return the motions (n, d) along which equations are taken: constraint forces do no work, and L' M N is symmetric.

    `forces` (n, m) are what the multipliers exert; without prescribed coordinates they are J', and L = N.
    """
    independent = layout.positions
    dependent = np.setdiff1d(np.arange(layout.size), independent)
    L = np.zeros_like(N)
    L[independent] = np.eye(len(independent))
    if dependent.size:
        L[dependent] = -np.linalg.solve(forces[dependent].T, forces[independent].T)
    # Rows of prescribed coordinates, der(v) = u: what follows them loads the others.
    moved = np.any(np.abs(N - L) > ALIKE * np.abs(N).max(initial=0.0), axis=0)
    if not moved.any():
        return N
    loads = L.T @ M @ N
    kept = L.copy()
    for j in np.flatnonzero(moved):
        others = np.arange(L.shape[1]) != j
        kept[:, others] -= np.outer(L[:, j], loads[others, j]) / loads[j, j]
    return kept


def eliminated_at_rest(lin: System) -> System:
    """Return the minimal form of a descriptor form at rest, whose closures do not change with time."""
    layout = layout_of(lin)
    independent, N = layout.positions, np.zeros((layout.size, len(lin.structure.coordinates)))
    dependent = np.setdiff1d(np.arange(layout.size), independent)
    J = lin.A[layout.closures]
    N[independent] = np.eye(len(independent))
    N[dependent] = -np.linalg.solve(J[:, dependent], J[:, independent])
    return eliminated(lin, N, np.zeros_like(N), np.zeros((layout.size, 2 * N.shape[1] + len(layout.free))))
