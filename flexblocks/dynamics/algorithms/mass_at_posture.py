"""Numerical mass matrix at one posture, by the body Jacobians from the ground to the tips.

For one posture it takes a fraction of the time of deriving M(q), and is independent of that derivation.
"""

from __future__ import annotations

import numpy as np

from flexblocks.dynamics.evaluation.block_terms import BlockTerms
from flexblocks.dynamics.tree.tree import Tree


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
