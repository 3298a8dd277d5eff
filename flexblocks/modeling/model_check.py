"""Check of a model: its blocks, as a table, once they make up an arm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import networkx as nx

from flexblocks.modeling.arm_graph import ArmGraph
from flexblocks.modeling.spanning_tree import topology
from flexblocks.rich_display import RichDisplay


@dataclass(frozen=True, repr=False)
class ModelCheck(RichDisplay):
    """Result of the check of a model that makes up an arm.

    Attributes
    ----------
    name : str
    loops : int
        Connections that close kinematic loops.
    rows : tuple of (str, str, str)
        For each block its name, its type, and the blocks that it is connected to.
    """

    HEADS: ClassVar[tuple[str, str, str]] = ("name", "type", "connected to")
    name: str
    loops: int
    rows: tuple[tuple[str, str, str], ...]

    @property
    def title(self) -> str:
        """What was checked, in a line."""
        closed = f", {self.loops} closed loop{'s' if self.loops > 1 else ''}" if self.loops else ""
        return f"{self.name}: {len(self.rows)} blocks{closed}"

    def __str__(self) -> str:
        table = [self.HEADS, *self.rows]
        widths = [max(len(row[i]) for row in table) for i in range(len(self.HEADS))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in table]
        return "\n".join([self.title, *(line.rstrip() for line in lines)])

    __repr__ = __str__  # what a prompt shows


def model_check(model: ArmGraph, graph: nx.MultiGraph) -> ModelCheck:
    """Check that the blocks and connections of a model, whose graph is `graph`, make up an arm.

    Raises
    ------
    FlexblocksError
        The first thing that is wrong.
    """
    closures = topology(model).closures
    rows = [(name, type(block).__name__, ", ".join(graph.neighbors(name))) for name, block in model.blocks.items()]
    return ModelCheck(model.name, len(closures), tuple(rows))
