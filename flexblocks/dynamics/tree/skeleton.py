"""Skeleton of the tree: frames at which motion branches or inertia or external forces act, joined by edges.

Blocks without inertia (joints) are evaluated together with the outlet that carries them. The path from one body to the
next is split where it ends in rotations: first to the point, in the axes of the inboard body, then rotation by
rotation. Consecutive rotations about one axis, such as the slope of a beam's tip and the angle of the joint on it, are
one; and all that a point carries is summed there before it is passed further inboard.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import casadi as ca

from flexblocks.dynamics.evaluation.block_terms import BlockTerms
from flexblocks.dynamics.evaluation.body import Body
from flexblocks.dynamics.evaluation.evaluate import evaluated_again
from flexblocks.dynamics.evaluation.incidence import Incidence
from flexblocks.dynamics.evaluation.rigid_inertia import is_isotropic
from flexblocks.dynamics.tree.edge import Edge
from flexblocks.dynamics.tree.path import Path, path_along


@dataclass(frozen=True, eq=False)
class SkeletonNode:
    """Frame of the arm.

    Attributes
    ----------
    inboard : int or None
        Index of the next node inboard; None for the ground.
    edge : Edge or None
        Motion transform from there.
    bodies : list of int
        Indices of the bodies with this inlet (for point masses up to a rotation).
    """

    inboard: int | None
    edge: Edge | None
    bodies: list[int] = field(default_factory=list)


# A body, its outlet, and whether the orientation there matters.
Place = tuple[int, str, bool]


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Nodes of a tree, inboard before outboard; the first is the ground.

    Attributes
    ----------
    nodes : tuple of SkeletonNode
        Those that bodies need.
    leaves : tuple of SkeletonNode
        Those that only force elements and cut loops act on. They follow the nodes: the first is ``len(nodes)``.
    of_place : dict
        Index of the node at each place.
    """

    nodes: tuple[SkeletonNode, ...]
    leaves: tuple[SkeletonNode, ...]
    of_place: Mapping[Place, int]


def skeleton(bodies: Sequence[Body], root: int, places: Sequence[Place] = ()) -> Skeleton:
    """Return the skeleton of a tree whose ground is body `root`, with leaves at other places."""
    built = _Skeleton(bodies, root)
    count = len(built.nodes)
    of_place = {place: built.node_at(place) for place in places}
    return Skeleton(tuple(built.nodes[:count]), tuple(built.nodes[count:]), of_place)


class _Skeleton:
    def __init__(self, bodies: Sequence[Body], root: int) -> None:
        self.bodies = bodies
        self.nodes = [SkeletonNode(None, None, [root])]
        self.node_of = {root: 0}
        self.known: dict[Hashable, int] = {}
        self.paths: dict[Hashable, Path] = {}
        for index, body in enumerate(bodies):
            if body.parent is not None and (body.terms.has_inertia or body.terms.has_wrench):
                self.node_of[index] = self._node_for(index, body)
                self.nodes[self.node_of[index]].bodies.append(index)

    def _node_for(self, index: int, body: Body) -> int:
        """Return the node of a body, and add it with those on the path to it where they are new."""
        # Rotations do not matter to a point mass; they do to an external force in the inlet's axes.
        turned = not _is_point_mass(body.terms) or body.terms.has_wrench
        return self._node_behind(self._chain(body.parent, body.outlet), turned)

    def node_at(self, place: Place) -> int:
        """Return the node at an outlet, and add it with those on the path to it where they are new."""
        body, outlet, turned = place
        return self._node_behind(self._chain(body, outlet), turned)

    def _node_behind(self, chain: list[tuple[int, str]], turned: bool) -> int:
        """Return the node at the end of a chain; if not `turned`, one with its origin and any orientation."""
        path = self._path(chain)
        share = Incidence.stacked([self.bodies[i].share for i, _ in chain])
        start = self.node_of[chain[0][0]]
        moves = path.moves if turned else path.moves[: path.shifts]
        for place, (kept, edge) in enumerate(moves):
            # Frames of the first body are those of all chains that begin with it; its outlet itself ends this one.
            last = place == len(path.moves) - 1 and place >= path.shifts
            key = chain[-1] if last else (chain[0][0], id(kept)) if path.is_of_first(kept) else (*chain, id(kept))
            if key not in self.known:
                self.known[key] = len(self.nodes)
                self.nodes.append(SkeletonNode(start, Edge(edge, share)))
            start = self.known[key]
        return start

    def _path(self, chain: Sequence[tuple[int, str]]) -> Path:
        """Return the path along a chain, which is that of all chains of equal blocks."""
        terms, outlets = [self.bodies[i].terms for i, _ in chain], [outlet for _, outlet in chain]
        kind = tuple((id(each), outlet) for each, outlet in zip(terms, outlets, strict=True))
        if kind not in self.paths:
            self.paths[kind] = path_along(_told_apart(terms), outlets)
        return self.paths[kind]

    def _chain(self, index: int | None, outlet: str | None) -> list[tuple[int, str]]:
        """Return the path to an outlet, (block, outlet): from the next body inboard with inertia, or the ground."""
        chain: list[tuple[int, str]] = []
        while index is not None and outlet is not None:
            chain.append((index, outlet))
            body = self.bodies[index]
            if body.terms.has_inertia:
                break
            index, outlet = body.parent, body.outlet
        return chain[::-1]


def _told_apart(terms: Sequence[BlockTerms]) -> list[BlockTerms]:
    """Return the terms of the blocks of a chain, evaluated anew where two of them are of one kind and share symbols."""
    apart: list[BlockTerms] = []
    for each in terms:
        is_known = each.size and any(each.symbols is other.symbols for other in apart)
        apart.append(evaluated_again(each) if is_known else each)
    return apart


def _is_point_mass(terms: BlockTerms) -> bool:
    """Return whether a body's inertia is that of a point mass."""
    if terms.size:
        return False
    inertia = ca.sparsify(terms.inertia_expression)
    return inertia.nnz() == 3 and is_isotropic(inertia[3:, 3:])
