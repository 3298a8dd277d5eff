"""Numerical mass matrix at one posture, by the body Jacobians from the ground to the tips; and its weakest motion.

For one posture it takes a fraction of the time of deriving M(q), and is independent of that derivation. The weakest
motion is that of least kinetic energy, which is zero where the mass matrix is singular.
"""

from __future__ import annotations

import numpy as np

from flexblocks.dynamics.evaluation.block_terms import BlockTerms
from flexblocks.dynamics.tree.tree import Tree

# Smallest eigenvalue of a mass matrix with unit diagonal that is more than rounding, per coordinate.
ROUNDING = 1e-13
# Share of a coordinate in the weakest motion from which on messages name it.
NAMED = 0.1


def mass_at_posture(tree: Tree, q: np.ndarray, p: np.ndarray, *dependent: np.ndarray) -> np.ndarray:
    """Return M (n, n) at coordinates (n), symbolic parameters (np) and dependent variables (k), if any."""
    # Of each body so far: terms, coordinates, Jacobian (6 + n_block, n) of (inlet twist, rates), and parameters.
    M = np.zeros((tree.size, tree.size))
    places: list[tuple[BlockTerms, np.ndarray, np.ndarray, np.ndarray]] = []
    rest = np.concatenate([*dependent, np.zeros(0)])
    for body in tree.bodies:
        share = body.share.full()
        dependents, rest = np.split(rest, [len(body.terms.symbols.dependent.equations)])
        parameters = np.concatenate([p, dependents])
        inlet = np.zeros((6, tree.size))
        if body.parent is not None and body.outlet is not None:
            terms, *place = places[body.parent]
            inlet = _twists(terms, body.outlet, *place)
        rates = np.vstack([inlet, share])
        places.append((body.terms, share @ q, rates, parameters))
        if body.terms.has_inertia:
            M += rates.T @ body.terms.inertia(share @ q, parameters).full() @ rates
    return M


def _twists(terms: BlockTerms, outlet: str, q: np.ndarray, rates: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return the Jacobian (6, n) of an outlet, from that of the inlet and the block's rates (6 + n_block, n)."""
    units = np.eye(6 + len(q))
    # One evaluation for all unit vectors, a column each.
    _, _, twists = terms.motions[outlet](np.eye(3), np.zeros(3), units[:6], q, units[6:], p)
    return twists.full() @ rates


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
