"""Edges of the tree: motion transforms from one frame to the next outboard, at the arm's coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from flexblocks.dynamics.evaluation.block_terms import call
from flexblocks.dynamics.evaluation.incidence import Incidence
from flexblocks.dynamics.tree.motion_transform import MotionTransform


@dataclass(frozen=True, eq=False)
class Edge:
    """Motion transform from one frame of the tree to the next outboard.

    Attributes
    ----------
    transform : MotionTransform
        Over k coordinates; edges between equal blocks have it in common.
    share : Incidence (k, n)
        That of these coordinates: they are share @ q of the arm's.
    """

    transform: MotionTransform
    share: Incidence

    @cached_property
    def moving(self) -> tuple[int, ...]:
        """Coordinates of the arm that move the outer frame relative to the inner one, from the innermost outward."""
        moving = self.transform.moving
        return tuple(dict.fromkeys(column for row, column, _ in self.share.entries if row in moving))

    def at(self, q: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Return X (6, 6) and S (6, n), over all coordinates of the arm, at the coordinates `q` (n)."""
        X, S = call(self.transform.maps, self.share.gather(q), self.transform.p)
        return X, S @ self.share.matrix

    def position_at(self, q: ca.SX) -> ca.SX:
        """Return the position (3) of the outer frame in the axes of the inner one [m] at coordinates `q` (n)."""
        return call(self.transform.position, self.share.gather(q), self.transform.p)[0]

    def bias_at(self, omega: ca.SX, q: ca.SX, v: ca.SX) -> ca.SX:
        """Return the bias acceleration (6): what is left at zero acceleration of the inner frame and the coordinates.

        `omega` (3) is the angular velocity of the inner frame.
        """
        return call(self.transform.bias, omega, self.share.gather(q), self.share.gather(v), self.transform.p)[0]
