"""Where a named point of an arm is."""

from __future__ import annotations

import casadi as ca

from flexblocks.dae import DAE
from flexblocks.dynamics.body import Body
from flexblocks.dynamics.motion import poses
from flexblocks.errors import FlexblocksError, NameUnknownError, listing, nearest
from flexblocks.geometry import outlets_of
from flexblocks.ports import Kind


def place(dae: DAE, name: str) -> ca.SX:
    """Return the position (3, 1) [m] of a point of an arm in the world, an expression of ``dae.q`` and the parameters.

    Parameters
    ----------
    dae : DAE
    name : str
        A block, ``"payload"``, for its outboard end, or one of its frames: ``"link1.frame_a"``,
        ``"link1.frame_b"``, ``"link1.station(0.25)"``.

    Raises
    ------
    NameUnknownError
        There is no such block or frame, or it has no place in space.
    """
    body = _body(dae, name)
    index = dae.tree.bodies.index(body)
    R, r = poses(dae.tree, dae.q)[index]
    frame = name[len(body.name) + 1 :] or ("frame_b" if "frame_b" in body.terms.outlets else "frame_a")
    try:
        spec = body.terms.block.port(frame).spec
    except FlexblocksError as error:
        raise NameUnknownError(f"'{name}': {error}") from error
    if spec.kind is not Kind.FRAME:
        raise NameUnknownError(f"'{name}' is a {spec.kind}, which has no place in space; name a frame of the block.")
    if not spec.outlet:
        return r
    points = outlets_of(body, (spec.name,), dae.p.symbol)
    return ca.cse(points.call([R, r, body.own(dae.q), body.terms.p], True, False)[0])


def _body(dae: DAE, name: str) -> Body:
    placed = {b.name: b for b in dae.tree.bodies if b.parent is not None or b.terms.outlets}
    found = [known for known in placed if name == known or name.startswith(f"{known}.")]
    if not found:
        raise NameUnknownError(
            f"There is no place '{name}': name a block ({listing(placed)}) or a frame of one, as 'link1.frame_b' or "
            f"'link1.station(0.25)'.{nearest(name.partition('.')[0], placed)}"
        )
    return placed[max(found, key=len)]
