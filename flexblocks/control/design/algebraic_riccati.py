"""Algebraic Riccati equations, continuous and discrete: SciPy's solvers, and what to do where they cannot sort.

SciPy sorts the eigenvalues of a pencil in its real Schur form, whose two-by-two blocks cannot be exchanged where they
are ill conditioned; whether they are is up to rounding, and so to the processor. The complex form has no such blocks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexblocks.libraries import scipy


def continuous_solution(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray) -> np.ndarray:
    """Return the stabilising P (n, n) of A'P + P A - P B R^-1 B'P + Q = 0.

    Raises
    ------
    LinAlgError, ValueError
        No solution was found.
    """
    try:
        return scipy.linalg.solve_continuous_are(A, B, Q, R)
    except ValueError:  # the real Schur form cannot be sorted
        n, m = B.shape
        upper = np.hstack([A, np.zeros((n, n)), B])
        middle = np.hstack([-Q, -A.T, np.zeros((n, m))])
        lower = np.hstack([np.zeros((m, n)), B.T, R])
        shifted = np.diag(np.r_[np.ones(2 * n), np.zeros(m)])
        P = _from_stable_subspace(np.vstack([upper, middle, lower]), shifted, n, "lhp")
        K = np.linalg.solve(R, B.T @ P)  # a step of Newton's method (Kleinman 1968) regains the digits
        return scipy.linalg.solve_continuous_lyapunov((A - B @ K).T, -(Q + K.T @ R @ K))


def discrete_solution(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray, S: np.ndarray) -> np.ndarray:
    """Return the stabilising P (n, n) of A'P A - P - (A'P B + S)(R + B'P B)^-1 (B'P A + S') + Q = 0.

    Raises
    ------
    LinAlgError, ValueError
        No solution was found.
    """
    try:
        return scipy.linalg.solve_discrete_are(A, B, Q, R, s=S)
    except ValueError:
        n, m = B.shape
        upper = np.hstack([A, np.zeros((n, n)), B])
        middle = np.hstack([-Q, np.eye(n), -S])
        lower = np.hstack([S.T, np.zeros((m, n)), R])
        shifted = np.zeros((2 * n + m, 2 * n + m))
        shifted[:n, :n], shifted[n:, n : 2 * n] = np.eye(n), np.vstack([A.T, -B.T])
        P = _from_stable_subspace(np.vstack([upper, middle, lower]), shifted, n, "iuc")
        K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A + S.T)
        return scipy.linalg.solve_discrete_lyapunov((A - B @ K).T, Q - S @ K - K.T @ S.T + K.T @ R @ K)


def _from_stable_subspace(pencil: np.ndarray, shifted: np.ndarray, n: int, stable: str) -> np.ndarray:
    """Return P from the basis [U1; U2] of the stable subspace of an extended pencil: P = U2 U1^-1.

    The inputs, the last unknowns, are eliminated by an orthogonal transformation (van Dooren 1981).
    """
    m = len(pencil) - 2 * n
    q = np.linalg.qr(pencil[:, 2 * n :], mode="complete")[0]
    reduced = [q[:, m:].T @ matrix[:, : 2 * n] for matrix in (pencil, shifted)]
    sorted_form: Any = scipy.linalg.ordqz(*reduced, sort=stable, output="complex")
    basis = sorted_form[-1][:, :n]
    P = np.linalg.solve(basis[:n].T, basis[n:].T).T.real
    return (P + P.T) / 2
