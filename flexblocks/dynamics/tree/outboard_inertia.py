"""Outboard inertia: what hangs on each outlet as one rigid body; it shapes the modes of the beam inboard."""

from __future__ import annotations

import casadi as ca
import numpy as np

from flexblocks.dynamics.evaluation.block_terms import BlockTerms
from flexblocks.modeling.spanning_tree import Topology


class OutboardInertia:
    """Inertia gathered from the tips to the ground, in the zero configuration.

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

    def at(self, name: str, outlet: str = "frame_b") -> np.ndarray:
        """Return the inertia (6, 6) of what hangs on an outlet, in twist order (omega, v) at that outlet."""
        return self._at_outlet.get((name, outlet), np.zeros((6, 6)))

    def add(self, name: str, terms: BlockTerms) -> None:
        """Hang a block, with all it carries, on the outlet of its parent."""
        node = self._plan.nodes[name]
        if node.parent is None:
            return
        own = np.array(terms.inertia(*terms.reference(self._p)).full())[:6, :6]
        for outlet in node.outlets:
            X = self._map(terms, outlet)
            own = own + X.T @ self.at(name, outlet) @ X
        place = (node.parent, node.outlet)
        self._at_outlet[place] = self._at_outlet.get(place, np.zeros((6, 6))) + own

    def _map(self, terms: BlockTerms, outlet: str) -> np.ndarray:
        """Return the map (6, 6) of the inlet's twist to an outlet's, in the zero configuration."""
        q, p = terms.reference(self._p)
        R, r, _ = terms.motions[outlet](np.eye(3), np.zeros(3), np.zeros(6), q, 0 * q, p)
        turn, arm = R.full().T, ca.skew(r).full()
        return np.block([[turn, np.zeros((3, 3))], [-turn @ arm, turn]])
