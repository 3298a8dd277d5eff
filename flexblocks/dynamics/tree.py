"""The tree of block terms with the arm's own variables: what all algorithms run on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.dynamics.terms import BlockTerms, call


@dataclass(frozen=True)
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
    index : tuple of int
        For each of the block's coordinates the coordinate of the arm behind it; -1 if locked.
    factor : tuple of float
        And the factor: own = factor * arm's.
    w, z, u : slice
        Where the block's states, algebraics and inputs stand among the arm's.
    """

    name: str
    terms: BlockTerms
    parent: int | None
    outlet: str | None
    index: tuple[int, ...]
    factor: tuple[float, ...]
    w: slice
    z: slice
    u: slice

    def own(self, vector: ca.SX) -> ca.SX:
        """Return the block's part (n) of a vector over the arm's coordinates."""
        return ca.vertcat(*[vector[i] * f if i >= 0 else ca.SX(1, 1) for i, f in zip(self.index, self.factor, strict=True)], ca.SX(0, 1))


@dataclass(frozen=True)
class Tree:
    """Bodies, a parent before what it carries, over `size` coordinates of the arm.

    `gravity` is the acceleration of free fall (3) in world axes [m/s2]; `p` the symbolic parameters.
    """

    bodies: tuple[Body, ...]
    size: int
    gravity: np.ndarray
    p: ca.SX

    def scatter(self, body: Body, own: ca.SX, into: ca.SX) -> None:
        """Add forces on a block's own coordinates to the forces on the arm's, by virtual work."""
        for row, (i, factor) in enumerate(zip(body.index, body.factor, strict=True)):
            if i >= 0:
                into[i] += factor * own[row]

    def outboard_first(self) -> Iterator[tuple[int, Body]]:
        """Iterate over (index, body) from the tips to the ground."""
        return reversed(list(enumerate(self.bodies)))


@dataclass(frozen=True)
class Maps:
    """For each body the maps of motion from its parent's inlet to its own: V = X V_parent + S s_parent."""

    X: tuple[ca.SX | None, ...]
    S: tuple[ca.SX | None, ...]


def maps(tree: Tree, q: ca.SX) -> Maps:
    """Return the maps of motion along all edges of the tree at the coordinates `q`.

    Bodies on one outlet share their map.
    """
    known: dict[tuple[int, str], list[ca.SX]] = {}
    X, S = [], []
    for body in tree.bodies:
        if body.parent is None or body.outlet is None:
            X.append(None)
            S.append(None)
            continue
        place = (body.parent, body.outlet)
        if place not in known:
            parent = tree.bodies[body.parent]
            known[place] = call(parent.terms.outlets[body.outlet].maps, parent.own(q), tree.p)
        X.append(known[place][0])
        S.append(known[place][1])
    return Maps(tuple(X), tuple(S))
