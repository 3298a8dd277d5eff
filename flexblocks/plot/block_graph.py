"""Block diagram of a model: blocks as boxes, connections as lines."""

from __future__ import annotations

import networkx as nx
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from flexblocks.blocks.bodies.ground import Ground
from flexblocks.interfaces.ports import Kind
from flexblocks.modeling.model import Model
from flexblocks.plot.style import BLACK, BLUE, VERMILION, axes

LINES = {
    Kind.FRAME: {"color": BLACK, "linewidth": 2.5, "linestyle": "-"},
    Kind.ROTATIONAL: {"color": BLUE, "linewidth": 1.5, "linestyle": "--"},
    Kind.TRANSLATIONAL: {"color": VERMILION, "linewidth": 1.5, "linestyle": ":"},
}


def model(model: Model, ax: Axes | None = None) -> Axes:
    """Draw the block diagram of a model.

    The arm extends from the ground to the right; branches are stacked above it, drives hang below their joints.

    Parameters
    ----------
    model : Model
    ax : Axes, optional
        By default those of a new figure, large enough for all boxes.

    Returns
    -------
    Axes
    """
    places = layout(model)
    columns = [x for x, _ in places.values()] or [0.0]
    rows = [y for _, y in places.values()] or [0.0]
    width, height = max(columns) - min(columns) + 1, max(rows) - min(rows) + 1
    # Inches of a column and a row that hold the longest usual names; by trial.
    ax = axes(ax, size=(1.55 * width, 0.95 * height + 0.5))
    kinds = set()
    for first, second, kind in model.graph.edges(data="kind"):
        ends = zip(places[first], places[second], strict=True)
        ax.plot(*ends, zorder=1, **LINES[kind])
        kinds.add(kind)
    for name, (x, y) in places.items():
        ax.text(
            x,
            y,
            f"{name}\n{type(model.blocks[name]).__name__}",
            ha="center",
            va="center",
            fontsize=8.5,
            linespacing=1.3,
            bbox={"boxstyle": "round,pad=0.4", "facecolor": "white", "edgecolor": BLACK, "linewidth": 1.0},
        )
    # Half a box of room on all sides, and the kinds of connections explained below.
    ax.set_xlim(min(columns) - 0.5, max(columns) + 0.5)
    ax.set_ylim(min(rows) - 0.5, max(rows) + 0.5)
    ax.set_axis_off()
    handles = [Line2D([], [], label=str(kind), **LINES[kind]) for kind in Kind if kind in kinds]
    ax.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=3, frameon=False, fontsize="small")
    return ax


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
