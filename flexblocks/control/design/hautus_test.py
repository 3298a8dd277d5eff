"""Hautus test: stabilisability and detectability, which Riccati equations need for a stabilising solution."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from flexblocks.errors import ComputationError, listing
from flexblocks.linear.scaling import state_scales

# Real parts above this share of the fastest eigenvalue count as not decaying, within its magnitude of 0 as on the
# imaginary axis: far above rounding, far below any damping that a model has. By trial.
DECAYS = -1e-9
# A matrix [A - s; C] whose smallest singular value is below this share of the largest has lost rank. By trial.
RANK = 1e-10
# Eigenvalues below this share of the fastest are 0: a double 0 comes out as a pair of about sqrt(eps) = 1.5e-8.
NEAR_ZERO = 1e-7


def _fastest(A: np.ndarray) -> float:
    """Return the largest magnitude of an eigenvalue [1/s], 1 at least."""
    return max(float(np.max(np.abs(np.linalg.eigvals(A)), initial=0.0)), 1.0)


def _does_not_decay(A: np.ndarray) -> Callable[[complex], bool]:
    """Return the test for eigenvalues of modes that do not decay."""
    least = DECAYS * _fastest(A)
    return lambda s: s.real >= least


def _on_imaginary_axis(A: np.ndarray) -> Callable[[complex], bool]:
    """Return the test for eigenvalues of modes that neither decay nor grow."""
    most = -DECAYS * _fastest(A)
    return lambda s: abs(s.real) <= most


def refuse_unstabilizable(A: np.ndarray, B: np.ndarray, Q: np.ndarray, states: Sequence[str]) -> None:
    """Refuse a regulator problem without a stabilising solution.

    Every mode that does not decay must be controllable, every mode on the imaginary axis weighted by Q.

    Raises
    ------
    ComputationError
        A mode that does not decay is not reached by the inputs, or not weighted.
    """
    acts = "LQR: no input acts on"
    _refuse_unobservable(A.T, _each(B.T), states, acts, "Add an input", _does_not_decay(A))
    _refuse_unobservable(A, _root(Q), states, "LQR: Q does not weight", "Weight one of these", _on_imaginary_axis(A))


def refuse_undetectable(A: np.ndarray, C: np.ndarray, process: np.ndarray, states: Sequence[str]) -> None:
    """Refuse an estimation problem without a stabilising solution, the dual of `refuse_unstabilisable`.

    Raises
    ------
    ComputationError
        A mode that does not decay is not seen in the measurements, or not driven by the process noise.
    """
    shows = "Kalman: nothing measured shows"
    _refuse_unobservable(A, _each(C), states, shows, "Measure more", _does_not_decay(A))
    _refuse_unobservable(
        A.T, _root(process), states, "Kalman: no process noise drives", "Add process noise", _on_imaginary_axis(A)
    )


def _each(C: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Return the rows of C in scaled states, all of one size: each is of an input or sensor with a unit of its own."""

    def rows(T: np.ndarray) -> np.ndarray:
        scaled = C * T
        size = np.linalg.norm(scaled, axis=1, keepdims=True)
        return np.divide(scaled, size, out=np.zeros_like(scaled), where=size > 0)

    return rows


def _root(Q: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Return the rows of C in scaled states with C'C = Q, but for what of Q is rounding."""

    def rows(T: np.ndarray) -> np.ndarray:
        scaled = T[:, None] * Q * T
        values, vectors = np.linalg.eigh((scaled + scaled.T) / 2)
        values = np.where(values > len(Q) * np.finfo(float).eps * values[-1], values, 0.0)
        return np.sqrt(values)[:, None] * vectors.T

    return rows


def _refuse_unobservable(
    A: np.ndarray,
    rows: Callable[[np.ndarray], np.ndarray],
    states: Sequence[str],
    what: str,
    remedy: str,
    counts: Callable[[complex], bool],
) -> None:
    """Refuse unobservable modes among those that count, by the Hautus test; of transposes, uncontrollable ones.

    `rows` are those of C for states that are divided by a scale (nx,).
    """
    # Balance A, and scale C to it: the ranks below are then of entries of one size.
    T = state_scales(A)
    A, C = A / T[:, None] * T, rows(T)
    size = np.linalg.norm(C)
    C = C * (np.linalg.norm(A) / size if size else 0.0)
    values = np.linalg.eigvals(A)
    # A defective 0, such as that of a free joint, is split by rounding.
    values[np.abs(values) <= NEAR_ZERO * _fastest(A)] = 0.0
    for s in values:
        # Of a conjugate pair one test is enough.
        if s.imag < 0 or not counts(s):
            continue
        matrix = np.vstack([A - s * np.eye(len(A)), C])
        # Directions take several times as long as values alone.
        sizes = np.linalg.svd(matrix, compute_uv=False)
        if sizes[-1] > RANK * sizes[0]:
            continue
        directions = np.linalg.svd(matrix)[2]
        shape = np.abs(directions[-1])
        # The message names the states with a tenth of the largest share or more (by trial), the largest first.
        names = [states[int(i)] for i in np.argsort(-shape) if shape[i] > 0.1 * shape.max()]
        raise ComputationError(
            f"{what} the mode at {s:.4g} 1/s (mostly {listing(names, 4)}), which does not decay by itself. "
            f"{remedy}, or leave this motion out of the model."
        )
