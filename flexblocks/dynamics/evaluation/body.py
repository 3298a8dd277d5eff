"""Bodies of the multibody tree: the terms of a block, with the indices of its variables among the arm's."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.dynamics.evaluation.block_terms import BlockTerms


@dataclass(frozen=True, eq=False)
class CoordinateRange:
    """Admissible range `low` to `high` of one coordinate of a block, ``share @ q`` with q (n) the arm's coordinates."""

    name: str
    unit: str
    share: np.ndarray
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Body:
    """Body of the multibody tree: one block.

    Attributes
    ----------
    name : str
    terms : BlockTerms
    parent : int or None
        Index of the body that carries it; None for the ground and for bodies outside the tree of frames.
    outlet : str or None
        The parent's outlet that carries it.
    share : DM (n_block, n)
        Incidence matrix: the block's coordinates are share @ q, q those of the arm. Sparse, mostly ones; the row of a
        locked coordinate is empty.
    w, z, u : slice
        Positions of the block's first-order states, algebraic variables and inputs among the arm's.
    """

    name: str
    terms: BlockTerms
    parent: int | None
    outlet: str | None
    share: ca.DM
    w: slice
    z: slice
    u: slice

    @property
    def ranges(self) -> list[CoordinateRange]:
        """Ranges of the coordinates that have a finite one."""
        return [
            CoordinateRange(f"{self.name}.{c.name}", c.unit, share, c.low, c.high)
            for c, share in zip(self.terms.coordinates, self.share.full(), strict=True)
            if share.any() and (np.isfinite(c.low) or np.isfinite(c.high))
        ]

    def gather(self, vector: ca.SX) -> ca.SX:
        """Return the entries (n_block) of a vector (n) over the arm's coordinates that belong to the block."""
        return self.share @ vector

    def scatter(self, force: ca.SX) -> ca.SX:
        """Return the forces (n) on the arm's coordinates due to forces (n_block) on the block's, by virtual work."""
        return self.share.T @ force
