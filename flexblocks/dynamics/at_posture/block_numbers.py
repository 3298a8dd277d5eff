"""Inertias of all bodies, and the maps from one to the next, as numbers at one posture."""

from __future__ import annotations

import numpy as np

from flexblocks.dynamics.evaluation.block_terms import BlockTerms
from flexblocks.dynamics.tree.tree import Tree


class PostureNumbers:
    """Inertias and maps to outlets of all bodies at one posture; equal blocks are evaluated together.

    Parameters
    ----------
    tree : Tree
    q : ndarray (n,)
    p : ndarray (np,)
        Symbolic parameters.
    *dependent : ndarray (k,)
        Dependent variables, if there are any.
    """

    def __init__(self, tree: Tree, q: np.ndarray, p: np.ndarray, *dependent: np.ndarray) -> None:
        self._alike: dict[BlockTerms, list[np.ndarray]] = {}
        self._parameters: dict[BlockTerms, np.ndarray] = {}
        self._place: list[tuple[BlockTerms, int]] = []
        rest = np.concatenate([*dependent, np.zeros(0)])
        for body in tree.bodies:
            alike = self._alike.setdefault(body.terms, [])
            # Blocks with dependent variables have terms of their own.
            dependents, rest = np.split(rest, [len(body.terms.symbols.dependent)])
            self._parameters[body.terms] = np.concatenate([p, dependents])
            self._place.append((body.terms, len(alike)))
            alike.append(body.share.gather(q))
        self._inertias: dict[BlockTerms, np.ndarray] = {}
        self._maps: dict[tuple[BlockTerms, str], np.ndarray] = {}

    def inertia(self, index: int) -> np.ndarray:
        """Return the inertia (6 + k, 6 + k) of a body."""
        terms, place = self._place[index]
        if terms not in self._inertias:
            values = terms.inertia(self._columns(terms), self._parameters[terms]).full()
            self._inertias[terms] = values
        return _part(self._inertias[terms], place, 6 + terms.size)

    def map(self, index: int, outlet: str) -> np.ndarray:
        """Return the Jacobian (6, 6 + k) of the twist of an outlet in that of the inlet and the rates."""
        terms, place = self._place[index]
        if (terms, outlet) not in self._maps:
            q = self._columns(terms)
            # A column for each body and unit vector.
            units = np.tile(np.eye(6 + terms.size), q.shape[1])
            q = np.repeat(q, 6 + terms.size, axis=1)
            motion = terms.motions[outlet]
            _, _, twists = motion(np.eye(3), np.zeros(3), units[:6], q, units[6:], self._parameters[terms])
            self._maps[terms, outlet] = twists.full()
        return _part(self._maps[terms, outlet], place, 6 + terms.size)

    def _columns(self, terms: BlockTerms) -> np.ndarray:
        """Return the coordinates (k, bodies) of all bodies with these terms; of those without any, of one."""
        alike = self._alike[terms]
        return np.array(alike).T if terms.size else np.zeros((0, 1))


def _part(values: np.ndarray, place: int, width: int) -> np.ndarray:
    """Return the matrix of one body out of those of all, side by side; there is one if they are the same."""
    place = place if values.shape[1] > width else 0
    return values[:, place * width : (place + 1) * width]
