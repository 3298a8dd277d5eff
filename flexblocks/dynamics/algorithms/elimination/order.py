"""Elimination order: the node or edge at which each coordinate of a tree can be eliminated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from flexblocks.dynamics.tree.tree import Tree


@dataclass(frozen=True)
class EliminationOrder:
    """Nodes and edges at which the coordinates are eliminated.

    Attributes
    ----------
    outboard : list of tuple
        For each node its children, the next nodes outboard.
    joints, rest : list of tuple
        For the edge to each node its coordinates: those that appear nowhere else, from the outermost inward, and the
        others.
    ends_at : list of tuple
        For each node the coordinates that appear only at it and outboard of it, but not on one edge alone.
    loose : tuple
        The coordinates that are eliminated at the ground: those coupled by inertia outside the tree of frames, such as
        unmounted rotors, and those that appear nowhere.
    """

    outboard: list[tuple[int, ...]]
    joints: list[tuple[int, ...]]
    rest: list[tuple[int, ...]]
    ends_at: list[tuple[int, ...]]
    loose: tuple[int, ...]


def elimination_order(tree: Tree, inertia: ca.Sparsity, moving: Sequence[tuple[int, ...]]) -> EliminationOrder:
    """Return the elimination order of the coordinates of a tree.

    Parameters
    ----------
    tree : Tree
    inertia : Sparsity (n, n)
        Inertia on the coordinates themselves, of blocks that are not in the tree of frames.
    moving : sequence of tuple
        For the edge to each node the coordinates that move its outer end, from the innermost outward.
    """
    nodes = tree.nodes
    # Where each coordinate appears: in a body at node k, (k, False), or on the edge to node k, (k, True).
    users: dict[int, set[tuple[int, bool]]] = {j: set() for j in range(tree.size)}
    for k, node in enumerate(nodes):
        for index in node.bodies:
            if tree.bodies[index].terms.has_inertia:
                for j in tree.bodies[index].share.used:
                    users[j].add((k, False))
        for j in moving[k]:
            users[j].add((k, True))
    # Coordinates coupled by inertia directly, or moving no inertia.
    rows, columns = inertia.get_triplet()
    coupled = {j for pair in zip(rows, columns, strict=True) if pair[0] != pair[1] for j in pair}
    loose = tuple(j for j, using in users.items() if j in coupled or not using)

    joints = [
        tuple(j for j in reversed(moving[k]) if users[j] == {(k, True)} and j not in coupled) for k in range(len(nodes))
    ]
    on_edges = {j for eliminated in joints for j in eliminated}
    # All others end at the common ancestor of the places where they appear.
    ends_at: list[list[int]] = [[] for _ in nodes]
    for j, using in users.items():
        if j not in on_edges:
            places = [0] if j in loose else [_inboard_of(tree, k) if on_edge else k for k, on_edge in using]
            ends_at[_common_ancestor(tree, places)].append(j)
    return EliminationOrder(
        outboard=[tuple(i for i, node in enumerate(nodes) if node.inboard == k) for k in range(len(nodes))],
        joints=joints,
        rest=[tuple(j for j in moving[k] if j not in joints[k]) for k in range(len(nodes))],
        ends_at=[tuple(ending) for ending in ends_at],
        loose=loose,
    )


def _inboard_of(tree: Tree, node: int) -> int:
    inboard = tree.nodes[node].inboard
    return 0 if inboard is None else inboard


def _common_ancestor(tree: Tree, nodes: list[int]) -> int:
    """Return the innermost node that carries all of `nodes` (or is one of them)."""
    paths = [_path(tree, node) for node in nodes]
    return [common[0] for common in zip(*paths, strict=False) if len(set(common)) == 1][-1]


def _path(tree: Tree, node: int) -> list[int]:
    """Return the nodes from the ground to `node`."""
    path = [node]
    while (inboard := tree.nodes[path[0]].inboard) is not None:
        path.insert(0, inboard)
    return path
