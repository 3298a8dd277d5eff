"""A block in the tree, with its place among the arm's variables."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.dynamics.evaluation.block_terms import BlockTerms


@dataclass(frozen=True, eq=False)
class CoordinateRange:
    """The range `low` to `high` of one coordinate of a block; `share` (n,) makes it of the arm's coordinates."""

    name: str
    unit: str
    share: np.ndarray
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Body:
    """One block in the tree.

    Attributes
    ----------
    name : str
    terms : BlockTerms
    parent : int or None
        Index of the body that carries it; None for the ground and for what has no place in space.
    outlet : str or None
        Which of the parent's outlets carries it.
    share : DM (n_own, n)
        The block's own coordinates from the arm's: sparse, mostly ones; an empty row for a locked coordinate.
    w, z, u : slice
        Where the block's states, algebraics and inputs stand among the arm's.
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
        """The ranges of the coordinates that have one."""
        return [
            CoordinateRange(f"{self.name}.{c.name}", c.unit, share, c.low, c.high)
            for c, share in zip(self.terms.coordinates, self.share.full(), strict=True)
            if np.isfinite(c.low) or np.isfinite(c.high)
        ]

    def own(self, vector: ca.SX) -> ca.SX:
        """Return the block's part (n_own) of a vector (n) over the arm's coordinates."""
        return self.share @ vector

    def spread(self, force: ca.SX) -> ca.SX:
        """Return the forces (n) on the arm's coordinates by forces (n_own) on the block's own: virtual work."""
        return self.share.T @ force
