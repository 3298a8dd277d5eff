"""Skeleton of the tree: frames at which motion branches or inertia or external forces act, joined by edges.

Blocks without inertia (joints) are evaluated together with the outlet that carries them. The path from one body to the
next is split where it ends in rotations: first to the point, in the axes of the inboard body, then rotation by
rotation. Consecutive rotations about one axis, such as the slope of a beam's tip and the angle of the joint on it, are
one; and all that a point carries is summed there before it is passed further inboard.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import casadi as ca

from flexblocks.dynamics.evaluation.block_terms import BlockTerms
from flexblocks.dynamics.evaluation.body import Body
from flexblocks.dynamics.tree.edge import Edge
from flexblocks.interfaces.frame import Frame, Reorientation, Turn


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
        Those that only force elements act on. They follow the nodes: the index of the first is ``len(nodes)``.
    of_place : dict
        Index of the node at each place.
    """

    nodes: tuple[SkeletonNode, ...]
    leaves: tuple[SkeletonNode, ...]
    of_place: Mapping[Place, int]


def skeleton(bodies: Sequence[Body], root: int, places: Sequence[Place] = ()) -> Skeleton:
    """Return the skeleton of a tree whose ground is body `root`, with leaves where force elements act."""
    built = _Skeleton(bodies, root)
    count = len(built.nodes)
    of_place = {place: built.node_at(place) for place in places}
    return Skeleton(tuple(built.nodes[:count]), tuple(built.nodes[count:]), of_place)


class _Skeleton:
    def __init__(self, bodies: Sequence[Body], root: int) -> None:
        self.bodies = bodies
        self.nodes = [SkeletonNode(None, None, [root])]
        self.node_of = {root: 0}
        self.known: dict[object, int] = {}
        self.kept: list[object] = []
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
        terms = [self.bodies[i].terms for i, _ in chain]
        share = ca.vertcat(*[self.bodies[i].share for i, _ in chain])
        start, frame = self.node_of[chain[0][0]], _end(terms, [outlet for _, outlet in chain])
        # Split the path into a translation and the rotations after it.
        turns: list[Turn | Reorientation] = []
        while frame.turn is not None:
            turns.insert(0, frame.turn)
            frame = frame.turn.before
        if frame is not terms[0].inlet:
            self.kept.append(frame)  # kept alive, so that no other object gets its id
            start = self._added(id(frame), start, _shift(terms, share, frame))
        if not turned:
            return start
        self.kept += turns
        keys = [*map(id, turns[:-1]), chain[-1]]
        for key, turn in zip(keys, turns, strict=False):
            start = self._added(key, start, _turned(terms, share, turn))
        return start

    def _added(self, key: object, inboard: int, edge: Edge) -> int:
        if key not in self.known:
            self.known[key] = len(self.nodes)
            self.nodes.append(SkeletonNode(inboard, edge))
        return self.known[key]

    def _chain(self, index: int | None, outlet: str | None) -> list[tuple[int, str]]:
        """Return the path to an outlet, (block, outlet): from the next body inboard with inertia, or the ground."""
        chain: list[tuple[int, str]] = []
        while index is not None and outlet is not None:
            chain.insert(0, (index, outlet))
            body = self.bodies[index]
            if body.terms.has_inertia:
                break
            index, outlet = body.parent, body.outlet
        return chain


def _end(terms: Sequence[BlockTerms], outlets: Sequence[str]) -> Frame:
    """Return the frame at the end of a chain of blocks, as an expression of the inlet of the first."""
    frame = terms[0].outlets[outlets[0]]
    for block, outlet in zip(terms[1:], outlets[1:], strict=True):
        frame = block.block.physics(replace(frame, rate=block.local.rate), block.local).outlets[outlet]
    return frame


def _shift(terms: Sequence[BlockTerms], share: ca.DM, point: Frame) -> Edge:
    inlet = terms[0].inlet
    pose, origin = ca.vertcat(ca.vec(inlet.R), inlet.r), ca.vertcat(ca.vec(ca.SX.eye(3)), ca.SX(3, 1))
    return _edge(terms, share, inlet.twist, point.twist, ca.substitute(point.r, pose, ca.densify(origin)))


def _turned(terms: Sequence[BlockTerms], share: ca.DM, turn: Turn | Reorientation) -> Edge:
    V = ca.SX.sym("V", 6)
    return _edge(terms, share, V, turn.of(V[:3], V[3:]), ca.SX(3, 1))


def _edge(terms: Sequence[BlockTerms], share: ca.DM, V: ca.SX, twist: ca.SX, arm: ca.SX) -> Edge:
    return Edge(
        V=V,
        twist=twist,
        q=ca.vertcat(*[t.symbols.q for t in terms]),
        s=ca.vertcat(*[t.symbols.s for t in terms]),
        share=share,
        configuration=ca.vertcat(*[t.symbols.configuration for t in terms]),
        configuration_rates=ca.vertcat(*[t.symbols.configuration_rates for t in terms]),
        p=ca.vertcat(terms[0].p, *[t.symbols.dependent.symbols for t in terms[1:]]),
        arm=arm,
        intermediates=tuple(t.local.intermediates for t in terms if t.local.intermediates.columns),
    )


def _is_point_mass(terms: BlockTerms) -> bool:
    """Return whether a body's inertia is that of a point mass."""
    if terms.size:
        return False
    inertia = ca.sparsify(terms.inertia_expression)
    return inertia.nnz() == 3 and is_isotropic(inertia[3:, 3:])


def is_isotropic(mass: ca.SX) -> bool:
    """Return whether a matrix (3, 3) is structurally a multiple of the identity."""
    diagonal = [mass[i, i] for i in range(3)]
    return ca.sparsify(mass).nnz() == 3 and all(m.nnz() == 1 and ca.is_equal(m, diagonal[0], 10) for m in diagonal)
