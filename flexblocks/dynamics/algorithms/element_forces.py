"""Forces of force elements: the frames they act on, from the innermost that all of them share, and their wrenches."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from flexblocks.dynamics.algorithms.kinematics import NodeWrenches
from flexblocks.dynamics.evaluation.block_terms import call
from flexblocks.dynamics.evaluation.element import Element
from flexblocks.dynamics.tree.tree import Tree

# Orientation (3, 3) and origin (3) in the base; angular velocity (3) and velocity (3) relative to it, in own axes.
Motion = tuple[ca.SX, ca.SX, ca.SX, ca.SX]


def element_wrenches(
    tree: Tree, q: ca.SX, v: ca.SX, x: ca.SX | None = None, z: ca.SX | None = None, u: ca.SX | None = None
) -> NodeWrenches:
    """Return the wrenches of all force elements: the passive ones, or with (x, z, u) those that depend on these."""
    sweep = _Motions(tree, q, v)
    force, wrench = ca.SX(tree.size, 1), [ca.SX(6, 1) for _ in sweep.nodes]
    for element in tree.elements:
        if x is None or z is None or u is None:
            exerted = _exerted(tree, element, "passive", sweep.of(element), _none(element))
        else:
            exerted = _exerted(tree, element, "applied", sweep.of(element), _own(tree, element, x, z, u))
        for node, on_frame in zip(tree.nodes_of(element), exerted, strict=True):
            wrench[node] += ca.sparsify(on_frame)
    # The leaves carry no mass: their wrenches go on to the nodes that do.
    for index in reversed(range(len(tree.nodes), len(sweep.nodes))):
        if wrench[index].nnz():
            X, S = sweep.map(index)
            wrench[sweep.inboard(index)] += ca.sparsify(X.T @ wrench[index])
            force += S.T @ wrench[index]
    return NodeWrenches(ca.sparsify(force), tuple(wrench[: len(tree.nodes)]))


def frame_wrenches(tree: Tree, x: ca.SX, z: ca.SX, u: ca.SX) -> dict[str, list[ca.SX]]:
    """Return by element the whole wrenches (6) on its frames, torque over force, in the axes of each frame.

    `u` are the inputs of all blocks.
    """
    q, v, _ = tree.split_state(x)
    sweep, wrenches = _Motions(tree, q, v), {}
    for element in tree.elements:
        motions = sweep.of(element)
        parts = (
            _exerted(tree, element, "passive", motions, _none(element)),
            _exerted(tree, element, "applied", motions, _own(tree, element, x, z, u)),
        )
        wrenches[element.name] = [passive + applied for passive, applied in zip(*parts, strict=True)]
    return wrenches


def element_values(tree: Tree, kind: str, x: ca.SX, z: ca.SX, u: ca.SX) -> dict[str, ca.SX]:
    """Return the values of one function of every force element, by name; `u` are the inputs of all blocks."""
    q, v, _ = tree.split_state(x)
    sweep = _Motions(tree, q, v)
    return {
        element.name: call(
            getattr(element.terms, kind),
            *_arguments(tree, element, sweep.of(element), *_own(tree, element, x, z, u)),
        )[0]
        for element in tree.elements
    }


def element_potentials(tree: Tree, q: ca.SX) -> dict[str, ca.SX]:
    """Return the energy [J] stored in every force element, by name."""
    sweep, energies = _Motions(tree, q, ca.SX(tree.size, 1)), {}
    for element in tree.elements:
        (energy,) = call(element.terms.potential, *_arguments(tree, element, sweep.of(element), *_none(element)))
        energies[element.name] = energy
    return energies


def element_origins(tree: Tree, q: ca.SX) -> dict[str, list[ca.SX]]:
    """Return by element the origins (3) [m] of the frames it acts on, in axes that depend on the element."""
    sweep = _Motions(tree, q, ca.SX(tree.size, 1))
    return {element.name: [r for _, r, *_ in sweep.of(element)] for element in tree.elements}


def _exerted(tree: Tree, element: Element, kind: str, motions: Sequence[Motion], own: Sequence[ca.SX]) -> list[ca.SX]:
    """Return the wrenches (6) of one function of an element on its frames, in the axes of each."""
    (exerted,) = call(getattr(element.terms, kind), *_arguments(tree, element, motions, *own))
    wrenches = []
    for i, axes in enumerate(element.terms.axes):
        on_frame = exerted[6 * i : 6 * i + 6]
        wrenches.append(on_frame if axes is None else ca.vertcat(axes @ on_frame[:3], axes @ on_frame[3:]))
    return wrenches


def _none(element: Element) -> list[ca.SX]:
    """Return zeros for the states, algebraic variables and inputs of an element."""
    return [ca.SX(symbols.shape[0], 1) for symbols in (element.terms.w, element.terms.z, element.terms.u)]


def _own(tree: Tree, element: Element, x: ca.SX, z: ca.SX, u: ca.SX) -> list[ca.SX]:
    return [tree.split_state(x)[2][element.w], z[element.z], u[element.u]]


def _arguments(tree: Tree, element: Element, motions: Sequence[Motion], *own: ca.SX) -> list[ca.SX]:
    gravity = ca.sparsify(ca.SX(ca.DM(tree.gravity)))
    return [*(part for motion in motions for part in motion), *own, element.terms.p, gravity]


class _Motions:
    """Motions of the frames that force elements act on, seen from a base inboard of them."""

    def __init__(self, tree: Tree, q: ca.SX, v: ca.SX) -> None:
        self.tree, self.q, self.v = tree, q, v
        self.nodes = tree.all_nodes
        self.maps: dict[int, tuple[ca.SX, ca.SX]] = {}
        self.poses: dict[tuple[bytes, int, int], tuple[ca.SX, ca.SX]] = {}
        self.twists: dict[tuple[int, int], ca.SX] = {}

    def of(self, element: Element) -> list[Motion]:
        """Return the motions of the frames of an element, in the axes in which it sees them."""
        nodes, axes = self.tree.nodes_of(element), element.terms.axes
        # What does not depend on where it is costs only the way between its ends,
        base = 0 if element.terms.absolute else self._common(nodes)
        # and may take any axes for those of the world: those that it asks for at an end that is fixed in the base.
        fixed, start = (None, ca.DM.eye(3)) if element.terms.absolute else self._fixed(base, nodes, axes)
        motions = []
        for i, (node, seen) in enumerate(zip(nodes, axes, strict=True)):
            (R, r), V = self._pose(start, base, node), self._twist(base, node)
            omega, v = V[:3], V[3:]
            if seen is not None:
                R, omega, v = ca.SX.eye(3) if i == fixed else R @ seen, seen.T @ omega, seen.T @ v
            motions.append((ca.sparsify(R), r, ca.sparsify(omega), ca.sparsify(v)))
        return motions

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

    def _fixed(self, base: int, nodes: Sequence[int], axes: Sequence[ca.DM | None]) -> tuple[int | None, ca.DM]:
        """Return which frame, of those with axes asked for, is fixed to the base, if any; and the axes to begin in."""
        for i, (node, seen) in enumerate(zip(nodes, axes, strict=True)):
            R, _ = self._pose(ca.DM.eye(3), base, node)
            if seen is not None and R.is_constant():
                return i, ca.sparsify((ca.DM(R) @ seen).T)
        return None, ca.DM.eye(3)

    def _pose(self, start: ca.DM, base: int, index: int) -> tuple[ca.SX, ca.SX]:
        """Return orientation and origin of a node relative to the base, whose own axes are `start` (3, 3)."""
        if index == base:
            return ca.SX(start), ca.SX(3, 1)
        key = (start.full().tobytes(), base, index)
        if key not in self.poses:
            R, r = self._pose(start, base, self.inboard(index))
            edge, (X, _) = self.nodes[index].edge, self.map(index)
            assert edge is not None
            moved = ca.sparsify(r + R @ edge.position_at(self.q))
            self.poses[key] = ca.sparsify(R @ X[:3, :3].T), moved
        return self.poses[key]

    def _twist(self, base: int, index: int) -> ca.SX:
        """Return the twist of a node relative to the base, in its own axes."""
        if index == base:
            return ca.SX(6, 1)
        if (base, index) not in self.twists:
            X, S = self.map(index)
            self.twists[base, index] = ca.sparsify(X @ self._twist(base, self.inboard(index)) + S @ self.v)
        return self.twists[base, index]

    def _common(self, nodes: Sequence[int]) -> int:
        """Return the outermost node that carries all of `nodes`, or is one of them."""
        paths = [self._path(node) for node in nodes]
        return [level[0] for level in zip(*paths, strict=False) if len(set(level)) == 1][-1]

    def _path(self, index: int) -> list[int]:
        """Return the nodes from the ground to a node."""
        path = [index]
        while (inboard := self.nodes[path[0]].inboard) is not None:
            path.insert(0, inboard)
        return path
