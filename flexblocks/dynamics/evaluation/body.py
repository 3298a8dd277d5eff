"""Bodies of the multibody tree: the terms of a block, with the indices of its variables among the arm's."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.dynamics.evaluation.block_terms import BlockTerms
from flexblocks.dynamics.evaluation.incidence import Incidence
from flexblocks.interfaces.block import Block
from flexblocks.interfaces.carried import Carried


@dataclass(frozen=True, eq=False)
class CoordinateRange:
    """Admissible range `low` to `high` of one coordinate of a block.

    It is ``factors @ q[columns]`` of the arm's coordinates q (n).
    """

    name: str
    unit: str
    columns: tuple[int, ...]
    factors: tuple[float, ...]
    low: float
    high: float

    def value(self, q: np.ndarray) -> np.ndarray:
        """Return the values (...) of the coordinate at coordinates (..., n) of the arm."""
        return q[..., list(self.columns)] @ np.array(self.factors)


@dataclass(frozen=True, eq=False)
class Body:
    """Body of the multibody tree: one block.

    Attributes
    ----------
    name : str
    block : Block
    terms : BlockTerms
        Those of the block; equal blocks have them in common, and ``terms.block`` may be another one of its kind.
    parent : int or None
        Index of the body that carries it; None for the ground and for bodies outside the tree of frames.
    outlet : str or None
        The parent's outlet that carries it.
    share : Incidence (n_block, n)
        The block's coordinates are share @ q, q those of the arm; the row of a locked coordinate is empty.
    w, z, u : slice
        Positions of the block's first-order states, algebraic variables and inputs among the arm's.
    carried : Carried
        Inertia outboard of its outlets, see `flexblocks.interfaces.Local`.
    """

    name: str
    block: Block
    terms: BlockTerms
    parent: int | None
    outlet: str | None
    share: Incidence
    w: slice
    z: slice
    u: slice
    carried: Carried

    @property
    def ranges(self) -> list[CoordinateRange]:
        """Ranges of the coordinates that have a finite one."""
        ranges = []
        for row, c in enumerate(self.terms.coordinates):
            columns, factors = self.share.row(row)
            if columns and (np.isfinite(c.low) or np.isfinite(c.high)):
                ranges.append(CoordinateRange(f"{self.name}.{c.name}", c.unit, columns, factors, c.low, c.high))
        return ranges

    def gather(self, vector: ca.SX) -> ca.SX:
        """Return the entries (n_block) of a vector (n) over the arm's coordinates that belong to the block."""
        return self.share.gather(vector)

    def scatter(self, force: ca.SX) -> ca.SX:
        """Return the forces (n) on the arm's coordinates due to forces (n_block) on the block's, by virtual work."""
        return self.share.scatter(force)
