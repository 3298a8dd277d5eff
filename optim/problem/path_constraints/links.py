"""Links of an arm as lines: by name, and as straight pieces between stations."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import casadi as ca

from flexblocks.blocks.bodies.stations import HasStations
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.evaluation.body import Body
from flexblocks.errors import listing, nearest

from ...errors import ProblemError
from ..signals.signals import Signals


def links_of(dae: DAE) -> Mapping[str, Body]:
    """Return the links of an arm by name."""
    return {body.name: body for body in dae.tree.bodies if isinstance(body.block, HasStations)}


def checked_link(dae: DAE, name: str) -> Body:
    """Return a link by its name.

    Raises
    ------
    ProblemError
        There is none of that name.
    """
    links = links_of(dae)
    if name not in links:
        raise ProblemError(f"plan: path: there is no link '{name}' ({listing(links)}).{nearest(name, links)}")
    return links[name]


def axis_pieces(signals: Signals, link: str, pieces: int) -> list[tuple[ca.SX, ca.SX]]:
    """Return the segments between stations of a link, as their ends (3, 1) [m]; a rigid link is one."""
    body = checked_link(signals.instant.dae, link)
    count = pieces if body.share.used else 1
    block = body.block
    assert isinstance(block, HasStations)
    places = [signals.position(f"{link}.{name}") for name in ("frame_a", *block.centerline(count))]
    return list(pairwise(places))


def link_of(dae: DAE, name: str) -> str | None:
    """Return the link that a frame or block is carried by, which may be itself; None if it stands on the ground."""
    bodies = dae.tree.bodies
    index = max(
        (i for i, body in enumerate(bodies) if name == body.name or name.startswith(f"{body.name}.")),
        key=lambda i: len(bodies[i].name),
        default=None,
    )
    while index is not None and not isinstance(bodies[index].block, HasStations):
        index = bodies[index].parent
    return None if index is None else bodies[index].name


def are_joined(dae: DAE, one: str, other: str) -> bool:
    """Return whether a link carries the other link or frame, with nothing but joints and small parts between."""
    links = [link_of(dae, name) for name in (one, other)]
    if links[0] == links[1]:
        return True
    known = links_of(dae)
    for name, link, its_neighbor in ((one, *links), (other, *links[::-1])):
        if name != link:  # a frame is in the way of its own link only
            continue
        parent = known[name].parent
        if parent is not None and link_of(dae, dae.tree.bodies[parent].name) == its_neighbor is not None:
            return True
    return False
