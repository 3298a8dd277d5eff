"""Motions of frames relative to one that carries them, and the wrenches on them inward, its dual."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from flexblocks.dynamics.algorithms.kinematics import NodeWrenches
from flexblocks.dynamics.tree.tree import Tree

# Orientation (3, 3) and origin (3) in the base; angular velocity (3) and velocity (3) relative to it, in own axes.
Motion = tuple[ca.SX, ca.SX, ca.SX, ca.SX]


class RelativeMotions:
    """Motions of nodes seen from the outermost node that carries all of them: no more of the arm is evaluated."""

    def __init__(self, tree: Tree, q: ca.SX, v: ca.SX) -> None:
        self.tree, self.q, self.v = tree, q, v
        self.nodes = tree.all_nodes
        self.maps: dict[int, tuple[ca.SX, ca.SX]] = {}
        self.poses: dict[tuple[bytes, int, int], tuple[ca.SX, ca.SX]] = {}
        self.twists: dict[tuple[int, int], ca.SX] = {}

    def between(self, nodes: Sequence[int]) -> list[Motion]:
        """Return the motions of nodes relative to the outermost one that carries all of them, in its axes."""
        base, start = self.common(nodes), ca.DM.eye(3)
        motions = []
        for node in nodes:
            (R, r), V = self.pose(start, base, node), self.twist(base, node)
            motions.append((R, r, V[:3], V[3:]))
        return motions

    def inward(self, wrench: list[ca.SX], force: ca.SX) -> NodeWrenches:
        """Return forces on the coordinates (n), and wrenches (6) on all nodes, with those on leaves passed inboard.

        Leaves carry no mass: their wrenches go on to the nodes that do.
        """
        for index in reversed(range(len(self.tree.nodes), len(self.nodes))):
            if wrench[index].nnz():
                X, S = self.map(index)
                wrench[self.inboard(index)] += ca.sparsify(X.T @ wrench[index])
                force += S.T @ wrench[index]
        return NodeWrenches(ca.sparsify(force), tuple(wrench[: len(self.tree.nodes)]))

    def map(self, index: int) -> tuple[ca.SX, ca.SX]:
        """Return X (6, 6) and S (6, n) of the edge to a node."""
        if index not in self.maps:
            edge = self.nodes[index].edge
            assert edge is not None
            self.maps[index] = edge.at(self.q)
        return self.maps[index]

    def inboard(self, index: int) -> int:
        """Return the index of the next node inboard."""
        inboard = self.nodes[index].inboard
        assert inboard is not None
        return inboard

    def pose(self, start: ca.DM, base: int, index: int) -> tuple[ca.SX, ca.SX]:
        """Return orientation and origin of a node relative to the base, whose own axes are `start` (3, 3)."""
        if index == base:
            return ca.SX(start), ca.SX(3, 1)
        key = (start.full().tobytes(), base, index)
        if key not in self.poses:
            R, r = self.pose(start, base, self.inboard(index))
            edge, (X, _) = self.nodes[index].edge, self.map(index)
            assert edge is not None
            moved = ca.sparsify(r + R @ edge.position_at(self.q))
            self.poses[key] = ca.sparsify(R @ X[:3, :3].T), moved
        return self.poses[key]

    def twist(self, base: int, index: int) -> ca.SX:
        """Return the twist of a node relative to the base, in its own axes."""
        if index == base:
            return ca.SX(6, 1)
        if (base, index) not in self.twists:
            X, S = self.map(index)
            self.twists[base, index] = ca.sparsify(X @ self.twist(base, self.inboard(index)) + S @ self.v)
        return self.twists[base, index]

    def common(self, nodes: Sequence[int]) -> int:
        """Return the outermost node that carries all of `nodes`, or is one of them."""
        paths = [self._path(node) for node in nodes]
        return [level[0] for level in zip(*paths, strict=False) if len(set(level)) == 1][-1]

    def _path(self, index: int) -> list[int]:
        """Return the nodes from the ground to a node."""
        path = [index]
        while (inboard := self.nodes[path[0]].inboard) is not None:
            path.insert(0, inboard)
        return path
