"""Geometry of the arm: the centreline of every body in world coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.blocks.bodies.stations import HasStations
from flexblocks.constraints.coordinate_ranges import refuse_out_of_range
from flexblocks.constraints.posture import posture
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.kinematics import poses
from flexblocks.dynamics.evaluation.block_terms import call
from flexblocks.dynamics.evaluation.body import Body
from flexblocks.dynamics.evaluation.evaluate import block_terms
from flexblocks.errors import FlexblocksError, NameUnknownError, listing, nearest
from flexblocks.interfaces.ports import Kind

Values = Mapping[str, float] | Sequence[float] | np.ndarray | None


@dataclass(frozen=True, eq=False)
class Shape:
    """Centrelines of an arm as a function of its coordinates.

    Attributes
    ----------
    dae : DAE
    bodies : tuple of str
        Names of the blocks with a position in space, parents before children.
    function : casadi.Function
        (q, p, dependent variables if any) -> for each body its points in the world (3, k) [m], from the inlet outward.
    """

    dae: DAE
    bodies: tuple[str, ...]
    function: ca.Function

    @property
    def tip(self) -> str:
        """The body farthest out along the tree."""
        depths: dict[str, int] = {}
        bodies = self.dae.tree.bodies
        for body in bodies:
            depths[body.name] = 0 if body.parent is None else depths[bodies[body.parent].name] + 1
        return max(self.bodies, key=lambda name: depths[name])

    def __call__(self, x: Values = None, p: Values = None) -> dict[str, np.ndarray]:
        """Return the centreline of every body in the world, ndarray (k, 3) [m], at states `x` (nx,) and parameters `p`.

        Each is a dict by name (with start values for the rest), an array, or None for all start values.

        Raises
        ------
        NameUnknownError, ParameterError
            An unknown name, an array of the wrong length, or a value that is not finite.
        """
        dae, values = self.dae, self.dae.p.values(p, "p: ")
        state = dae.x.values(x, "x: ")
        refuse_out_of_range(dae, state[: dae.tree.size])
        lines = self.function.call([*posture(dae, state, values)])
        return {body: np.array(line.full()).T for body, line in zip(self.bodies, lines, strict=True)}


def shape(dae: DAE, stations: int = 32) -> Shape:
    """Return the centrelines of an arm; each link has `stations` points besides its root.

    A payload is one point, a joint two: its inboard and its outboard end.
    """
    inlets = poses(dae.tree, dae.q)
    placed = [
        (body, R, r)
        for body, (R, r) in zip(dae.tree.bodies, inlets, strict=True)
        if body.parent is not None or body.terms.outlets
    ]
    lines = [_line(body, R, r, body.gather(dae.q), dae.p.symbol, stations) for body, R, r in placed]
    function = ca.Function("shape", [*dae.posture_symbols], [ca.densify(line) for line in ca.cse(lines)])
    return Shape(dae, tuple(body.name for body, _, _ in placed), function)


def bending(dae: DAE) -> np.ndarray:
    """Return the mask (nx,) of the states that are deformations of beams; scaling these exaggerates the deflection."""
    chosen = np.zeros(len(dae.x), dtype=bool)
    for body in dae.tree.bodies:
        if isinstance(body.terms.block, HasStations):
            chosen[: dae.tree.size] |= np.any(body.share.full(), axis=0)
    return chosen


def outlets_of(body: Body, outlets: tuple[str, ...], p: ca.SX) -> ca.Function:
    """Return the function (R, r, q, p) -> origins (3, k) of these outlets, from the body's pose and coordinates.

    The last argument is `p` with the block's dependent variables, as ``body.terms.p``.
    """
    terms = block_terms(body.terms.block, outlets, True, body.terms.local.carried, p)
    points = ca.horzcat(*[terms.outlets[name].r for name in outlets])
    results = terms.local.intermediates.expanded([points])
    return ca.Function("outlets", [terms.inlet.R, terms.inlet.r, terms.symbols.q, terms.p], results)


def _line(body: Body, R: ca.SX, r: ca.SX, q: ca.SX, p: ca.SX, stations: int) -> ca.SX:
    """Return the centreline (3, k) of one body, from its inlet outward."""
    outlets = body.terms.block.centreline(stations)
    if not outlets:
        return r
    return ca.horzcat(r, *call(outlets_of(body, outlets, p), R, r, q, body.terms.p))


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
        There is no such block or frame, or it has no position in space.
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
        raise NameUnknownError(f"'{name}' is a {spec.kind}, which has no position in space; name a frame of the block.")
    if not spec.outlet:
        return r
    points = outlets_of(body, (spec.name,), dae.p.symbol)
    return ca.cse(points.call([R, r, body.gather(dae.q), body.terms.p], True, False)[0])


def _body(dae: DAE, name: str) -> Body:
    placed = {b.name: b for b in dae.tree.bodies if b.parent is not None or b.terms.outlets}
    matching = [known for known in placed if name == known or name.startswith(f"{known}.")]
    if not matching:
        raise NameUnknownError(
            f"There is no place '{name}': name a block ({listing(placed)}) or a frame of one, as 'link1.frame_b' or "
            f"'link1.station(0.25)'.{nearest(name.partition('.')[0], placed)}"
        )
    return placed[max(matching, key=len)]
