"""From a model to its tree: composites opened, frames ordered from the ground, flanges joined to coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import networkx as nx

from flexblocks.block import Block, Composite
from flexblocks.errors import ModelError, listing
from flexblocks.flanges import SharedCoordinate, joined
from flexblocks.model import Model
from flexblocks.ports import Kind, Port


@dataclass(frozen=True)
class Node:
    """A block in the spanning tree.

    `parent` and `outlet` say which outlet of which node carries it; None for the ground and for blocks that
    have no place in space. `outlets` are the outlets of this block that carry something.
    """

    block: Block
    parent: str | None
    outlet: str | None
    outlets: tuple[str, ...]

    @property
    def has_place(self) -> bool:
        """Whether it is somewhere in space: carried by another block, or standing on the world itself."""
        return self.parent is not None or any(spec.outlet for spec in self.block.ports)


@dataclass(frozen=True)
class Topology:
    """The tree of a model.

    Attributes
    ----------
    nodes : dict of Node
        By block name; a parent comes before what it carries.
    order : tuple of str
        Block names in the order in which the user added them.
    shared : dict
        For each (block, coordinate) the coordinate of the arm behind it.
    """

    nodes: Mapping[str, Node]
    order: tuple[str, ...]
    shared: Mapping[tuple[str, str], SharedCoordinate]


def topology(model: Model, values: Mapping[str, Mapping[str, object]] | None = None) -> Topology:
    """Return the tree of `model`.

    Parameters
    ----------
    model : Model
    values : dict of dict, optional
        Parameters to replace, by block and parameter name, before composites are opened.

    Raises
    ------
    ModelError
        No ground or two; a block that hangs on nothing; a port that must be connected and is not; a loop; two joints
        geared to each other against their ratios; a coordinate that moves no mass.
    """
    blocks: dict[str, Block] = {}
    nets = nx.Graph()
    values = values or {}
    for block in model.blocks.values():
        _open(block.with_values(values.get(block.name, {})), values, blocks, nets)
    for ports in model.connections:
        inner = [_inner(model.blocks[port.block], port) for port in ports]
        nx.add_path(nets, inner)
    nodes = _tree(model, blocks, [sorted(net, key=str) for net in nx.connected_components(nets)])
    flange_nets = [net for net in nx.connected_components(nets) if next(iter(net)).kind is not Kind.FRAME]
    return Topology(nodes, tuple(blocks), joined(blocks, flange_nets))


def _open(
    block: Block | Composite, values: Mapping[str, Mapping[str, object]], blocks: dict[str, Block], nets: nx.Graph
) -> None:
    """Add a block, or the parts of a composite, to `blocks`, and all connections inside to `nets`."""
    if isinstance(block, Block):
        blocks[block.name] = block
        return
    parts = {}
    for part in block.parts():
        named = _nested(block, part)
        parts[part.name] = named = named.with_values(values.get(named.name, {}))
        _open(named, values, blocks, nets)
    for first, second in block.connections():
        nx.add_path(nets, [_inner(*_part_port(parts, place)) for place in (first, second)])


def _nested(composite: Composite, part: Block | Composite) -> Block | Composite:
    return part.with_values({"name": f"{composite.name}.{part.name}"})


def _part_port(parts: Mapping[str, Block | Composite], place: str) -> tuple[Block | Composite, Port]:
    part, _, port = place.partition(".")
    return parts[part], parts[part].port(port)


def _inner(block: Block | Composite, port: Port) -> Port:
    """Return the port of a block with physics that stands behind a port, through all composites."""
    if isinstance(block, Block):
        return port
    parts = {part.name: _nested(block, part) for part in block.parts()}
    return _inner(*_part_port(parts, block.exposed()[port.name]))


def _tree(model: Model, blocks: Mapping[str, Block], nets: list[list[Port]]) -> dict[str, Node]:
    grounds = [name for name, block in blocks.items() if _is_root(block)]
    if len(grounds) != 1:
        problem = "no Ground" if not grounds else f"{len(grounds)} grounds ({listing(grounds)})"
        advice = (
            "add one with model.add(fb.Ground('ground'))" if not grounds else "keep one and connect everything to it"
        )
        raise ModelError(f"Model '{model.name}': has {problem}; needs exactly one: {advice}.")
    carried_by: dict[str, Port] = {}
    for net in nets:
        _carry(net, carried_by)
    _refuse_open_ports(model, blocks, {port for net in nets for port in net})

    children: dict[str, list[str]] = {}
    for name in blocks:
        if name in carried_by:
            children.setdefault(carried_by[name].block, []).append(name)
    order, reached = [grounds[0]], {grounds[0]}
    for name in order:
        order += children.get(name, [])
        reached.update(children.get(name, []))
    floating = [
        name for name, block in blocks.items() if _has_inlet(block) and name in carried_by and name not in reached
    ]
    if floating:
        raise ModelError(
            f"Model '{model.name}': not connected to the ground: {listing(floating)}. "
            f"Connect a chain of frames from '{grounds[0]}.frame_b' to {floating[0]}.frame_a."
        )
    nodes = {}
    for name in order + [name for name in blocks if name not in reached]:
        parent = carried_by.get(name)
        outlets = {carried_by[child].name for child in children.get(name, [])}
        nodes[name] = Node(blocks[name], parent and parent.block, parent and parent.name, tuple(sorted(outlets)))
    return nodes


def _carry(net: list[Port], carried_by: dict[str, Port]) -> None:
    """Note which outlet carries the inlets of one net of frames."""
    if net[0].kind is not Kind.FRAME:
        return
    outlets = [port for port in net if port.spec.outlet]
    inlets = [port for port in net if not port.spec.outlet]
    names = listing(str(port) for port in net)
    if len(outlets) > 1:
        raise ModelError(
            f"Connection of {names}: {listing(map(str, outlets))} both carry it, which closes a kinematic loop. "
            "Only trees can be assembled so far. If no loop is meant, a block is mounted the wrong way round: "
            "frame_a is the inboard end, frame_b the outboard end."
        )
    for port in inlets:
        if port.block in carried_by and outlets and carried_by[port.block] != outlets[0]:
            raise ModelError(
                f"Block '{port.block}' is carried twice, by {carried_by[port.block]} and by {outlets[0]}; "
                "that closes a kinematic loop, and only trees can be assembled so far."
            )
        if outlets:
            carried_by[port.block] = outlets[0]
    if not outlets:
        raise ModelError(
            f"Connection of {names}: not connected to the ground; all of them are inboard ends. "
            "Join them to the frame_b of the block that carries them."
        )


def _refuse_open_ports(model: Model, blocks: Mapping[str, Block], connected: set[Port]) -> None:
    for name, block in blocks.items():
        for spec in block.ports:
            if spec.optional or Port(name, spec) in connected:
                continue
            if spec.kind is Kind.FRAME:
                advice = "it is not connected to the ground; connect it to the frame_b of the block that carries it"
            else:
                advice = f"connect it to another {spec.kind}, such as that of a rotor, a joint's axis or a Fixed"
            raise ModelError(f"Model '{model.name}': {block.where}: {spec.name} is open; {advice}.")


def _is_root(block: Block) -> bool:
    return any(spec.outlet for spec in block.ports) and not _has_inlet(block)


def _has_inlet(block: Block) -> bool:
    return any(spec.kind is Kind.FRAME and not spec.outlet for spec in block.ports)
