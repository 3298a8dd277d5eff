"""The spanning tree of a model: composites expanded, frames ordered from the ground, flanges joined to coordinates."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

import networkx as nx

from flexblocks.errors import ModelError, listing
from flexblocks.interfaces import Block, Composite, ForceElement, Kind, Port
from flexblocks.modeling.arm_graph import ArmGraph
from flexblocks.modeling.flanges import SharedCoordinate, joined


@dataclass(frozen=True)
class TreeNode:
    """A block in the spanning tree.

    `parent` and `outlet` say which outlet of which node carries it; None for the ground and for blocks that
    have no place in space. `outlets` are the outlets of this block that carry something or close a loop.
    """

    block: Block
    parent: str | None
    outlet: str | None
    outlets: tuple[str, ...]

    @property
    def has_place(self) -> bool:
        """Whether it is placed in space: carried by another block, or the ground itself."""
        return self.parent is not None or any(spec.outlet for spec in self.block.ports)


@dataclass(frozen=True)
class ElementNode:
    """A force element, and for each of its attachments the outlet that it acts on."""

    element: ForceElement
    places: tuple[Port, ...]


@dataclass(frozen=True)
class Topology:
    """The topology of a model: its spanning tree, and the cuts that open its loops.

    Attributes
    ----------
    nodes : dict of TreeNode
        By block name; a parent comes before what it carries.
    elements : dict of ElementNode
        The force elements by name.
    closures : tuple of pairs of Port
        Outlets that coincide besides the connections of the tree.
    order : tuple of str
        Block names in the order in which the user added them.
    shared : dict
        For each (block, coordinate) the arm's coordinate behind it.
    frames : dict of str
        For each frame of a composite, by name, the name of the frame of a block behind it.
    """

    nodes: Mapping[str, TreeNode]
    elements: Mapping[str, ElementNode]
    closures: tuple[tuple[Port, Port], ...]
    order: tuple[str, ...]
    shared: Mapping[tuple[str, str], SharedCoordinate]
    frames: Mapping[str, str]

    @property
    def blocks(self) -> dict[str, Block]:
        """All blocks by name, in the order in which the user added them."""
        known = {name: node.block for name, node in self.nodes.items()}
        known |= {name: node.element for name, node in self.elements.items()}
        return {name: known[name] for name in self.order}


def topology(model: ArmGraph, values: Mapping[str, Mapping[str, object]] | None = None) -> Topology:
    """Return the tree of `model`.

    Parameters
    ----------
    model : Model, or its data
    values : dict of dict, optional
        Parameters to replace, by block and parameter name, before composites are expanded.

    Raises
    ------
    ModelError
        No ground or two; a block without a carrier; a port that must be connected and is not; two joints geared to
        each other against their ratios; a coordinate that moves no mass.
    """
    # Expand composites: what remains are blocks with physics, and a graph of ports.
    blocks: dict[str, Block] = {}
    frames: dict[str, str] = {}
    nets = nx.Graph()
    values = values or {}
    of_model = model.blocks  # a copy each time
    for block in of_model.values():
        _open(block, values, blocks, frames, nets)
    for ports in model.connections:
        inner = [_inner(of_model[port.block], port) for port in ports]
        nx.add_path(nets, inner)
    # Ports that are connected, directly or through others, are one net.
    joined_ports = [sorted(net, key=str) for net in nx.connected_components(nets)]
    # Walk outward from the ground over nets of frames; join the coordinates of nets of flanges.
    ground = _ground(model, blocks)
    _refuse_open_ports(model, blocks, joined_ports)
    nodes, elements, closures = _tree(model, blocks, ground, [net for net in joined_ports if net[0].kind is Kind.FRAME])
    flange_nets = [set(net) for net in joined_ports if net[0].kind is not Kind.FRAME]
    return Topology(nodes, elements, closures, tuple(blocks), joined(blocks, flange_nets), frames)


def _open(
    block: Block | Composite,
    values: Mapping[str, Mapping[str, object]],
    blocks: dict[str, Block],
    frames: dict[str, str],
    nets: nx.Graph,
) -> None:
    """Add a block, or a composite's parts, to `blocks`, its frames to `frames`, and connections inside to `nets`."""
    given = values.get(block.name, {})
    if isinstance(block, Block):
        if block.name in blocks:
            raise ModelError(
                f"{blocks[block.name].where} and {block.where} are parts of one name; rename one inside its composite."
            )
        blocks[block.name] = block.with_values(given)
        return
    # A parameter that the composite does not have is one of its namesake.
    own = {field.name for field in dataclasses.fields(block)} & set(given)
    composite: Composite = block.with_values({name: given[name] for name in own})
    values = {**values, block.name: {name: value for name, value in given.items() if name not in own}}
    parts = composite.nested()
    for part in parts.values():
        _open(part, values, blocks, frames, nets)
    frames |= {
        f"{composite.name}.{spec.name}": str(_inner(composite, composite.port(spec.name)))
        for spec in composite.ports
        if spec.kind is Kind.FRAME
    }
    for first, second in composite.connections():
        nx.add_path(nets, [_inner(*_part_port(parts, place)) for place in (first, second)])


def _part_port(parts: Mapping[str, Block | Composite], place: str) -> tuple[Block | Composite, Port]:
    part, _, port = place.partition(".")
    return parts[part], parts[part].port(port)


def _inner(block: Block | Composite, port: Port) -> Port:
    """Return the port of a block with physics behind a port, through all composites."""
    if isinstance(block, Block):
        return port
    return _inner(*_part_port(block.nested(), block.exposed()[port.name]))


def _tree(
    model: ArmGraph, blocks: Mapping[str, Block], ground: str, nets: list[list[Port]]
) -> tuple[dict[str, TreeNode], dict[str, ElementNode], tuple[tuple[Port, Port], ...]]:
    """Walk outward from the ground over nets of frames; an outlet that meets one reached before closes a loop."""
    # By block its outlets, each with the number of its net.
    outlets: dict[str, list[tuple[Port, int]]] = {}
    for number, net in enumerate(nets):
        for port in (port for port in net if port.spec.outlet):
            outlets.setdefault(port.block, []).append((port, number))
    # Breadth first: the first outlet to reach a net carries all inlets in it, in the order in which blocks were added.
    place = {name: i for i, name in enumerate(blocks)}
    carriers: dict[int, Port] = {}
    carried_by: dict[str, Port] = {}
    acted_on: dict[Port, Port] = {}
    closures: list[tuple[Port, Port]] = []
    order = [ground]
    for name in order:
        carried: list[str] = []
        for port, number in outlets.get(name, []):
            if number in carriers:
                closures.append((carriers[number], port))
                continue
            carriers[number] = port
            carried += [other.block for other in nets[number] if other.spec.inlet]
            carried_by |= {other.block: port for other in nets[number] if other.spec.inlet}
            acted_on |= {other: port for other in nets[number] if other.spec.attachment}
        order += sorted(carried, key=place.__getitem__)
    _refuse_floating(model, blocks, nets, ground, set(order))
    elements = {
        name: ElementNode(block, tuple(acted_on[Port(name, spec)] for spec in block.ports))
        for name, block in blocks.items()
        if isinstance(block, ForceElement)
    }
    used: dict[str, set[str]] = {}
    for port in (*carried_by.values(), *acted_on.values(), *(port for pair in closures for port in pair)):
        used.setdefault(port.block, set()).add(port.name)
    nodes = {}
    reached = set(order)
    # What has no place in space comes last.
    for name in order + [name for name in blocks if name not in reached and name not in elements]:
        parent, names = carried_by.get(name), used.get(name, set())
        nodes[name] = TreeNode(blocks[name], parent and parent.block, parent and parent.name, tuple(sorted(names)))
    return nodes, elements, tuple(closures)


def _ground(model: ArmGraph, blocks: Mapping[str, Block]) -> str:
    grounds = [name for name, block in blocks.items() if _is_root(block)]
    if len(grounds) == 1:
        return grounds[0]
    problem = "no Ground" if not grounds else f"{len(grounds)} grounds ({listing(grounds)})"
    advice = "add one with model.add(fb.Ground('ground'))" if not grounds else "keep one and connect everything to it"
    raise ModelError(f"Model '{model.name}': has {problem}; needs exactly one: {advice}.")


def _refuse_floating(
    model: ArmGraph, blocks: Mapping[str, Block], nets: list[list[Port]], ground: str, reached: set[str]
) -> None:
    for net in nets:
        if not any(port.spec.outlet for port in net):
            raise ModelError(
                f"Connection of {listing(map(str, net))}: not connected to the ground; all of them are inboard ends"
                f"{' or attachments' if any(port.spec.attachment for port in net) else ''}. "
                "Join them to the frame_b of the block that carries them."
            )
    inlets = {port.block for net in nets for port in net if port.spec.inlet}
    floating = [name for name in blocks if name in inlets and name not in reached]
    if floating:
        raise ModelError(
            f"Model '{model.name}': not connected to the ground: {listing(floating)}. "
            f"Connect a chain of frames from '{ground}.frame_b' to {floating[0]}.frame_a."
        )


def _refuse_open_ports(model: ArmGraph, blocks: Mapping[str, Block], nets: list[list[Port]]) -> None:
    """Refuse ports that must be connected and are not."""
    connected = {port for net in nets for port in net}
    ends = {port.block for net in nets if sum(p.spec.outlet for p in net) > 1 for port in net if port.spec.outlet}
    for name, block in blocks.items():
        for spec in block.ports:
            if spec.optional or Port(name, spec) in connected:
                continue
            if spec.kind is Kind.FRAME:
                advice = "it is not connected to the ground; connect it to the frame_b of the block that carries it"
                if spec.attachment:
                    advice = "connect it to the frame that the force acts on, such as a link's frame_b or the ground's"
                if name in ends:
                    advice += (
                        ". Or the block is mounted the wrong way round: frame_a is the inboard end, frame_b the "
                        "outboard end"
                    )
            else:
                advice = f"connect it to another {spec.kind}, such as that of a rotor, a joint's axis or a Fixed"
            raise ModelError(f"Model '{model.name}': {block.where}: {spec.name} is open; {advice}.")


def _is_root(block: Block) -> bool:
    return any(spec.outlet for spec in block.ports) and not _has_inlet(block)


def _has_inlet(block: Block) -> bool:
    return any(spec.inlet for spec in block.ports)
