"""Layout of a block diagram: a place on a grid for every block, and what it says there."""

from __future__ import annotations

import networkx as nx

from flexblocks.blocks.bodies.ground import Ground
from flexblocks.errors import FlexblocksError
from flexblocks.interfaces.ports import Kind
from flexblocks.modeling.model import Model


def layout(model: Model) -> dict[str, tuple[float, float]]:
    """Return a grid position (column, row) for every block, no two the same."""
    graph = model.graph
    # The tree of frames, from the ground to the right.
    frames = nx.Graph((a, b) for a, b, kind in graph.edges(data="kind") if kind is Kind.FRAME)
    places: dict[str, tuple[float, float]] = {}
    roots = [name for name, block in model.blocks.items() if isinstance(block, Ground)]
    for root in roots:
        if root in frames:
            _lay_out_tree(nx.bfs_tree(frames, root), root, places)
        else:
            places[root] = (0.0, 0.0)
    # Blocks without frames, such as drives, hang below the block they are connected to, in the first free row.
    for start in list(places):
        for parent, child in nx.bfs_edges(graph, start):
            if child not in places:
                places[child] = _free(places, *places[parent])
    for name in graph:
        if name not in places:
            places[name] = _free(places, 0.0, 0.0)
    return places


def captions(model: Model) -> dict[str, str]:
    """Return what each block is: its type, and along which axes a beam deflects that leaves this to its arm.

    A diagram shows models that make up no arm yet, too, in which this is not decided.
    """
    open_ = {name for name, block in model.blocks.items() if getattr(block, "bending", None) == "auto"}
    try:
        planes = model.check().planes if open_ else {}
    except FlexblocksError:
        planes = {}
    kinds = {name: type(block).__name__ for name, block in model.blocks.items()}
    return {name: f"{kind} ({planes[name]})" if name in open_ & set(planes) else kind for name, kind in kinds.items()}


def _lay_out_tree(tree: nx.DiGraph, root: str, places: dict[str, tuple[float, float]]) -> None:
    """Place the longest branch of the tree in the row of its root, the others in rows above."""
    places[root] = (0.0, 0.0)
    for name in nx.topological_sort(tree):
        x, y = places[name]
        branches = sorted(tree.successors(name), key=lambda child: -len(nx.descendants(tree, child)))
        for child in branches:
            row = y
            while (x + 1, row) in places.values():
                row += 1
            places[child] = (x + 1, row)


def _free(places: dict[str, tuple[float, float]], x: float, y: float) -> tuple[float, float]:
    """Return the first free position in a column, from a row down."""
    y = min(0.0, y)
    while (x, y) in places.values():
        y -= 1
    return x, y
