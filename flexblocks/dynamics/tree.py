"""The tree of block terms with the arm's own variables: what all algorithms run on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from flexblocks.dynamics.body import Body
from flexblocks.dynamics.skeleton import Node, skeleton


@dataclass(frozen=True, eq=False)
class Tree:
    """Bodies, a parent before what it carries, over `size` coordinates of the arm.

    `gravity` is the acceleration of free fall (3) in world axes [m/s2]; `p` the symbolic parameters.
    """

    bodies: tuple[Body, ...]
    size: int
    gravity: np.ndarray
    p: ca.SX

    @property
    def root(self) -> int:
        """Index of the ground."""
        return next(i for i, body in enumerate(self.bodies) if body.parent is None and body.terms.outlets)

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """The skeleton, inboard before outboard; the first node is the ground."""
        return skeleton(self.bodies, self.root)

    @cached_property
    def followed(self) -> ca.SX:
        """Symbols of the variables that follow from the coordinates; they are entries of x or z."""
        return ca.vertcat(*[body.terms.own.followed for body in self.bodies], ca.SX(0, 1))

    @cached_property
    def followed_names(self) -> tuple[str, ...]:
        """Names of the variables that follow from the coordinates."""
        return tuple(f"{body.name}.{follower.name}" for body in self.bodies for follower in body.terms.own.followers)

    @cached_property
    def loose(self) -> tuple[Body, ...]:
        """Bodies with inertia but without a place in space: rotors that turn relative to an open mount."""
        return tuple(body for body in self.bodies if body.parent is None and body.terms.has_inertia)

    @property
    def ground_acceleration(self) -> ca.SX:
        """Acceleration (6) of the ground that stands for gravity."""
        return ca.sparsify(ca.SX(ca.vertcat(ca.DM.zeros(3), -ca.DM(self.gravity))))
