"""Shared coordinates: flanges that are rigidly joined move together and have one coordinate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import networkx as nx

from flexblocks.errors import ModelError, listing
from flexblocks.interfaces import GUEST, Block, Coordinate, Port

LOCKED = ("", "locked")  # the node for "does not move"
RATIO_TOLERANCE = 1e-9  # relative: products of a few gear ratios round by 1e-15, wrong ones differ by far more


@dataclass(frozen=True)
class SharedCoordinate:
    """The arm's coordinate behind one of a block: block coordinate = factor * arm coordinate, or `value` if locked.

    `owner` is (block, coordinate name); None if locked. `lock` is the one that it would have been, where the user
    locked it: what holds that one is an output.
    """

    owner: tuple[str, str] | None
    factor: float
    value: float = 0.0
    lock: tuple[str, str] | None = None


def joined(blocks: Mapping[str, Block], nets: Iterable[set[Port]]) -> dict[tuple[str, str], SharedCoordinate]:
    """Return the arm's coordinate behind each coordinate of each block.

    Parameters
    ----------
    blocks : dict of Block
    nets : iterable of set of Port
        The flanges that are connected with each other, net by net.

    Raises
    ------
    ModelError
        Gears whose ratios contradict each other around a loop, or a net in which nothing has mass.
    """
    # The graph of all coordinates: an edge carries a ratio, a locked one leads to LOCKED.
    specs = {(name, c.name): c for name, block in blocks.items() for c in block.coordinates()}
    graph = nx.Graph()
    graph.add_nodes_from(specs)
    graph.add_edges_from((place, LOCKED) for place, spec in specs.items() if spec.held)
    for name, block in blocks.items():
        graph.add_edges_from(
            ((name, coordinate), LOCKED) for coordinate, factor in block.flanges().values() if not factor
        )
    for net in nets:
        ports = sorted(net, key=str)
        for port in ports[1:]:
            _join(graph, blocks, ports[0], port)
    # Each connected component is one coordinate, named by the member of highest rank, or is locked.
    shared: dict[tuple[str, str], SharedCoordinate] = {}
    rank = {place: index for index, place in enumerate(specs)}
    for component in nx.connected_components(graph):
        members = sorted(component - {LOCKED}, key=lambda place: (-specs[place].rank, rank[place]))
        if LOCKED in component:
            shared.update({place: SharedCoordinate(None, 0.0) for place in members})
            continue
        _refuse_massless(members, specs)
        factors = _factors(graph, members[0])
        shared.update({place: SharedCoordinate(members[0], factors[place]) for place in members})
    return shared


def _join(graph: nx.Graph, blocks: Mapping[str, Block], first: Port, second: Port) -> None:
    places, ratios = [], []
    for port in (first, second):
        coordinate, factor = blocks[port.block].flanges()[port.name]
        places.append((port.block, coordinate) if factor else LOCKED)
        ratios.append(factor or 1.0)
    if places[0] == places[1] != LOCKED:
        if abs(ratios[0] - ratios[1]) > RATIO_TOLERANCE:
            raise ModelError(
                f"Connection {first} -> {second}: joins the two sides of one gear, which locks it; remove the "
                "connection, or lock the shaft with a Fixed."
            )
        return
    if LOCKED in places:
        graph.add_edge(*places, value=dict.fromkeys(places, 0.0))
        return
    # ratios[0] * q0 = ratios[1] * q1; an edge stores how to get one end's value from the other's.
    value = {places[0]: ratios[1] / ratios[0], places[1]: ratios[0] / ratios[1]}
    if graph.has_edge(*places):
        there = graph.edges[places[0], places[1]]["value"][places[0]]
        _refuse_contradiction([first.block, second.block], places[1], places[0], there, value[places[0]])
    graph.add_edge(*places, value=value)


def _factors(graph: nx.Graph, root: tuple[str, str]) -> dict[tuple[str, str], float]:
    factors = {root: 1.0}
    tree = nx.Graph([(root, root), *nx.bfs_edges(graph, root)])
    for near, far in nx.bfs_edges(graph, root):
        factors[far] = factors[near] * graph.edges[near, far]["value"][far]
    for near, far, value in graph.edges(factors, data="value"):
        ratio, other = factors[far] / factors[near], value[far]
        if abs(ratio / other - 1) > RATIO_TOLERANCE:
            around = [block for block, _ in nx.shortest_path(tree, near, far)]
            _refuse_contradiction(around, near, far, ratio, other)
    return factors


def _refuse_contradiction(
    around: Iterable[str], near: tuple[str, str], far: tuple[str, str], ratio: float, other: float
) -> None:
    if abs(ratio / other - 1) <= RATIO_TOLERANCE:
        return
    turn, turned = ".".join(near), ".".join(far)
    raise ModelError(
        f"The gear ratios around {listing(dict.fromkeys(around))} contradict each other: {turned} = {ratio:g} {turn} "
        f"one way round, {other:g} {turn} the other way, so that nothing could turn; make the ratios agree or remove "
        "one connection."
    )


def _refuse_massless(members: list[tuple[str, str]], specs: Mapping[tuple[str, str], Coordinate]) -> None:
    if specs[members[0]].rank == GUEST:
        names = listing(dict.fromkeys(block for block, _ in members))
        raise ModelError(
            f"Mass matrix singular: the shaft that joins {names} moves no mass; "
            "put a Rotor on it, connect it to a joint's axis, or lock it with a Fixed."
        )
