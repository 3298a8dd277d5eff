"""Check of a model: its blocks and inputs, as tables, once they make up an arm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import ClassVar

import networkx as nx

from flexblocks.modeling.arm_graph import ArmGraph
from flexblocks.modeling.spanning_tree import topology
from flexblocks.rich_display import RichDisplay, text_table


@dataclass(frozen=True, repr=False)
class ModelCheck(RichDisplay):
    """Result of the check of a model that makes up an arm.

    Attributes
    ----------
    name : str
    loops : int
        Connections that close kinematic loops.
    rows : tuple of (str, str, str)
        For each block its name, its type, and the blocks that it is connected to. With the type of a beam, along which
        axes it deflects in this arm.
    inputs : tuple of (str, str, str)
        For each input its name, its unit, and its role: actuator, disturbance, reference or reference rate.
    planes : dict of str
        The axes along which beams deflect, by name of the beam, those inside composites included: ``"y"``, ``"z"`` or
        ``"yz"``.
    remarks : tuple of str
        Possible mistakes: sizes, units, loads, and frequencies that a theory misses; each with what to do.
    particulars : dict of tuple of str
        By name of a block what else is reported of it, a line each: of a `ReducedBody` mass, centre, inertia, and its
        frequencies beside those of the finite elements.
    """

    HEADS: ClassVar[tuple[str, str, str]] = ("name", "type", "connected to")
    INPUT_HEADS: ClassVar[tuple[str, str, str]] = ("input", "unit", "role")
    name: str
    loops: int
    rows: tuple[tuple[str, str, str], ...]
    inputs: tuple[tuple[str, str, str], ...] = ()
    planes: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    particulars: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """What was checked, in a line."""
        closed = f", {self.loops} closed loop{'s' if self.loops > 1 else ''}" if self.loops else ""
        return f"{self.name}: {len(self.rows)} blocks{closed}"

    def __str__(self) -> str:
        tables = [text_table(self.HEADS, self.rows)]
        tables += [text_table(self.INPUT_HEADS, self.inputs)] if self.inputs else []
        told = [f"{name}: {line}" for name, lines in self.particulars.items() for line in lines]
        return "\n".join([self.title, *tables, *told, *(f"! {each}" for each in self.remarks)])

    def __repr__(self) -> str:
        return f"ModelCheck({self.name!r}: {len(self.rows)} blocks, {len(self.remarks)} remarks)"


def model_check(model: ArmGraph, graph: nx.MultiGraph) -> ModelCheck:
    """Check that the blocks and connections of a model, whose graph is `graph`, make up an arm.

    Raises
    ------
    FlexblocksError
        The first thing that is wrong.
    """
    plan = topology(model)
    # The room that judges stands above: it knows what carries what, and the theories of blocks.
    judged = import_module("flexblocks.validity.model_judgement").judgement(model)
    words = {name: f", bends along {' and '.join(axes)}" for name, axes in judged.planes.items()}
    rows = [
        (name, f"{type(block).__name__}{words.get(name, '')}", ", ".join(graph.neighbors(name)))
        for name, block in model.blocks.items()
    ]
    inputs = [
        (f"{name}.{one.name}", one.unit, one.role.replace("_", " "))
        for name, block in plan.blocks.items()
        for one in block.inputs()
    ]
    told = judged.planes, judged.remarks, judged.particulars
    return ModelCheck(model.name, len(plan.closures), tuple(rows), tuple(inputs), *told)
