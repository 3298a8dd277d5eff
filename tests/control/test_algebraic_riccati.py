"""Riccati equations where SciPy cannot sort the real Schur form, which is up to rounding: the complex one can be."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

from flexblocks.control.design.algebraic_riccati import continuous_solution, discrete_solution


def unsorted(*arguments: object, **options: object) -> np.ndarray:
    raise ValueError("Reordering of (A, B) failed")


def modes(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return A, B, Q, R of lightly damped modes over three decades, with two inputs."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 5))
    frequencies, damping = 10.0 ** rng.uniform(-1, 2, n), 10.0 ** rng.uniform(-4, -1, n)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.diag(frequencies**2), -np.diag(2 * damping * frequencies)]])
    B = np.vstack([np.zeros((n, 2)), rng.normal(size=(n, 2))])
    root = rng.normal(size=(2, 2))
    return A, B, scipy.linalg.block_diag(np.diag(frequencies**2), np.eye(n)), root @ root.T + 0.1 * np.eye(2)


@given(seed=st.integers(0, 10**6))
def test_continuous_solutions_are_those_of_scipy(seed: int) -> None:
    A, B, Q, R = modes(seed)
    expected = scipy.linalg.solve_continuous_are(A, B, Q, R)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scipy.linalg, "solve_continuous_are", unsorted)
        found = continuous_solution(A, B, Q, R)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9 * np.abs(expected).max())
    assert np.linalg.eigvals(A - B @ np.linalg.solve(R, B.T @ found)).real.max() < 0


@given(seed=st.integers(0, 10**6), coupled=st.booleans())
def test_discrete_solutions_are_those_of_scipy(seed: int, coupled: bool) -> None:
    A, B, Q, R = modes(seed)
    step = 0.1 / np.abs(np.linalg.eigvals(A)).max()
    n, m = B.shape
    exponential = scipy.linalg.expm(np.block([[A, B], [np.zeros((m, n + m))]]) * step)
    Ad, Bd = exponential[:n, :n], exponential[:n, n:]
    S = 0.1 * Q @ Bd if coupled else np.zeros((n, m))
    expected = scipy.linalg.solve_discrete_are(Ad, Bd, Q, R, s=S)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scipy.linalg, "solve_discrete_are", unsorted)
        found = discrete_solution(Ad, Bd, Q, R, S)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-8 * np.abs(expected).max())
