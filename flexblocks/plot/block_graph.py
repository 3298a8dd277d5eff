"""Block diagram of a model: blocks as boxes, connections as lines."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from flexblocks.interfaces.ports import Kind
from flexblocks.modeling.block_layout import captions, layout
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
    places, words = layout(model), captions(model)
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
            f"{name}\n{words[name]}",
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
