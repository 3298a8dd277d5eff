"""The mass matrix at one posture, in numbers: what unit rates of the coordinates move, from the ground to the tips.

For one posture it is found in a fraction of the time that it takes to derive M(q), and apart from that derivation.
"""

from __future__ import annotations

import numpy as np

from flexblocks.dynamics.evaluation.block_terms import BlockTerms
from flexblocks.dynamics.tree.tree import Tree


def mass_at_posture(tree: Tree, q: np.ndarray, p: np.ndarray, *dependent: np.ndarray) -> np.ndarray:
    """Return M (n, n) at coordinates (n), symbolic parameters (np) and dependent variables (k), if any."""
    M = np.zeros((tree.size, tree.size))
    places: list[tuple[BlockTerms, np.ndarray, np.ndarray, np.ndarray]] = []
    rest = np.concatenate([*dependent, np.zeros(0)])
    for body in tree.bodies:
        share = body.share.full()
        mine, rest = np.split(rest, [len(body.terms.symbols.dependent.equations)])
        own = np.concatenate([p, mine])
        inlet = np.zeros((6, tree.size))
        if body.parent is not None and body.outlet is not None:
            terms, *place = places[body.parent]
            inlet = _twists(terms, body.outlet, *place)
        rates = np.vstack([inlet, share])
        places.append((body.terms, share @ q, rates, own))
        if body.terms.has_inertia:
            M += rates.T @ body.terms.inertia(share @ q, own).full() @ rates
    return M


def _twists(terms: BlockTerms, outlet: str, q: np.ndarray, rates: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return the twists (6, n) of an outlet, from those of the inlet over the block's own rates (6 + n_own, n)."""
    units = np.eye(6 + len(q))
    # Evaluated for all units at once: a column each.
    _, _, twists = terms.motions[outlet](np.eye(3), np.zeros(3), units[:6], q, units[6:], p)
    return twists.full() @ rates
