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
        motions = sweep.of(element)
        if x is None or z is None or u is None:
            w_z_u = [ca.SX(symbols.shape[0], 1) for symbols in (element.terms.w, element.terms.z, element.terms.u)]
            (exerted,) = call(element.terms.passive, *_arguments(tree, element, motions, *w_z_u))
        else:
            (exerted,) = call(element.terms.applied, *_arguments(tree, element, motions, *_own(tree, element, x, z, u)))
        for i, node in enumerate(tree.nodes_of(element)):
            wrench[node] += ca.sparsify(exerted[6 * i : 6 * i + 6])
    # The leaves carry no mass: their wrenches go on to the nodes that do.
    for index in reversed(range(len(tree.nodes), len(sweep.nodes))):
        if wrench[index].nnz():
            X, S = sweep.map(index)
            wrench[sweep.inboard(index)] += ca.sparsify(X.T @ wrench[index])
            force += S.T @ wrench[index]
    return NodeWrenches(ca.sparsify(force), tuple(wrench[: len(tree.nodes)]))


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
        w_z_u = [ca.SX(symbols.shape[0], 1) for symbols in (element.terms.w, element.terms.z, element.terms.u)]
        (energy,) = call(element.terms.potential, *_arguments(tree, element, sweep.of(element), *w_z_u))
        energies[element.name] = energy
    return energies


def element_origins(tree: Tree, q: ca.SX) -> dict[str, list[ca.SX]]:
    """Return by element the origins (3) [m] of the frames it acts on, in axes that depend on the element."""
    sweep = _Motions(tree, q, ca.SX(tree.size, 1))
    return {element.name: [r for _, r, *_ in sweep.of(element)] for element in tree.elements}


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
        self.known: dict[tuple[int, int], tuple[ca.SX, ca.SX, ca.SX]] = {}

    def of(self, element: Element) -> list[Motion]:
        """Return the motions of the frames of an element."""
        nodes = self.tree.nodes_of(element)
        # What does not depend on where it is costs only the way between its ends.
        base = 0 if element.terms.absolute else self._common(nodes)
        motions = []
        for node in nodes:
            R, r, V = self._seen(base, node)
            motions.append((R, r, ca.sparsify(V[:3]), ca.sparsify(V[3:])))
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

    def _seen(self, base: int, index: int) -> tuple[ca.SX, ca.SX, ca.SX]:
        """Return orientation, origin and twist (in its own axes) of a node relative to the base."""
        if index == base:
            return ca.SX.eye(3), ca.SX(3, 1), ca.SX(6, 1)
        if (base, index) not in self.known:
            R, r, V = self._seen(base, self.inboard(index))
            edge, (X, S) = self.nodes[index].edge, self.map(index)
            assert edge is not None
            turned = ca.sparsify(R @ X[:3, :3].T)
            moved = ca.sparsify(r + R @ edge.position_at(self.q))
            self.known[base, index] = turned, moved, ca.sparsify(X @ V + S @ self.v)
        return self.known[base, index]

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
