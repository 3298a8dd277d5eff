"""Outboard inertia: what each outlet carries, as one rigid body; it is the tip body for the modes of a beam."""

from __future__ import annotations

import casadi as ca
import numpy as np

from flexblocks.dynamics.evaluation.block_kinds import BlockKinds
from flexblocks.dynamics.evaluation.block_terms import BlockTerms
from flexblocks.interfaces.carried import Carried
from flexblocks.modeling.spanning_tree import Topology


def evaluated(plan: Topology, kinds: BlockKinds, p: np.ndarray) -> tuple[dict[str, BlockTerms], dict[str, Carried]]:
    """Evaluate the blocks, each kind once, from the tips to the ground; and return the inertia outboard of each."""
    terms: dict[str, BlockTerms] = {}
    carried: dict[str, Carried] = {}
    outboard = OutboardInertia(plan, p)
    for name, node in reversed(list(plan.nodes.items())):
        held = {c.name: plan.shared[name, c.name].value for c in node.block.coordinates()}
        carried[name] = outboard.at(name)
        terms[name] = kinds.terms(node.block, node.outlets, node.has_place, carried[name], held)
        outboard.add(name, terms[name])
    return terms, carried


class OutboardInertia:
    """Outboard inertias, accumulated from the tips to the ground, in the zero configuration.

    Parameters
    ----------
    plan : Topology
    p : ndarray
        Nominal values of the symbolic parameters.
    """

    def __init__(self, plan: Topology, p: np.ndarray) -> None:
        self._plan = plan
        self._p = p
        self._at_outlet: dict[tuple[str | None, str | None], np.ndarray] = {}
        # Of terms that blocks have in common, the inertia and the maps to the outlets.
        self._inertias: dict[BlockTerms, np.ndarray] = {}
        self._maps: dict[tuple[BlockTerms, str], np.ndarray] = {}

    def at(self, name: str) -> Carried:
        """Return the inertia outboard of the outlets of a block."""
        outlets = self._plan.nodes[name].outlets
        of = {outlet: self._at_outlet[name, outlet] for outlet in outlets if (name, outlet) in self._at_outlet}
        return Carried(of)

    def add(self, name: str, terms: BlockTerms) -> None:
        """Add a block, with all it carries, to the outlet of its parent."""
        node = self._plan.nodes[name]
        if node.parent is None:
            return
        inertia = self._inertia(terms)
        for outlet in node.outlets:
            if (name, outlet) in self._at_outlet:
                X = self._map(terms, outlet)
                inertia = inertia + X.T @ self._at_outlet[name, outlet] @ X
        place = (node.parent, node.outlet)
        self._at_outlet[place] = self._at_outlet.get(place, np.zeros((6, 6))) + inertia

    def _inertia(self, terms: BlockTerms) -> np.ndarray:
        """Return the inertia (6, 6) of a block, in the zero configuration."""
        if terms not in self._inertias:
            self._inertias[terms] = terms.inertia(*terms.reference(self._p)).full()[:6, :6]
        return self._inertias[terms]

    def _map(self, terms: BlockTerms, outlet: str) -> np.ndarray:
        """Return the motion transform (6, 6) from the inlet to an outlet, in the zero configuration."""
        if (terms, outlet) not in self._maps:
            q, p = terms.reference(self._p)
            R, r, _ = terms.motions[outlet](np.eye(3), np.zeros(3), np.zeros(6), q, 0 * q, p)
            turn, arm = R.full().T, ca.skew(r).full()
            self._maps[terms, outlet] = np.block([[turn, np.zeros((3, 3))], [-turn @ arm, turn]])
        return self._maps[terms, outlet]
