"""Geometry of the arm: the centreline of every body in world coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.blocks.bodies.payload import Payload
from flexblocks.blocks.bodies.stations import HasStations
from flexblocks.constraints.posture import posture
from flexblocks.constraints.ranges import refuse_out_of_range
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.frame_motions import frame_motion, terms_at
from flexblocks.dynamics.algorithms.kinematics import poses
from flexblocks.dynamics.evaluation.block_terms import call
from flexblocks.dynamics.evaluation.body import Body

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
        """The payload farthest out along the tree; of an arm without payloads the body."""
        depths: dict[str, int] = {}
        bodies = self.dae.tree.bodies
        for body in bodies:
            depths[body.name] = 0 if body.parent is None else depths[bodies[body.parent].name] + 1
        payloads = [body.name for body in bodies if isinstance(body.terms.block, Payload)]
        return max(payloads or self.bodies, key=lambda name: depths[name])

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
        refuse_out_of_range(dae, state)
        lines = self.function.call([*posture(dae, state, values)])
        return {body: np.array(line.full()).T for body, line in zip(self.bodies, lines, strict=True)}


@lru_cache(maxsize=16)
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


def extent(lines: Mapping[str, np.ndarray]) -> float:
    """Return the diagonal of the box around the centrelines of an arm [m]."""
    return float(np.linalg.norm(np.ptp(np.concatenate(list(lines.values())), axis=0)))


def span(lines: Mapping[str, np.ndarray]) -> float:
    """Return the lengths of the centrelines of an arm in all [m]: those of its links, and the ways of its slides."""
    return sum(float(np.sum(np.linalg.norm(np.diff(line, axis=0), axis=1))) for line in lines.values())


@dataclass(frozen=True, eq=False)
class AttachedFrames:
    """Frames that force elements act on, as a function of the arm's coordinates.

    Attributes
    ----------
    dae : DAE
    function : casadi.Function
        (q, p, dependent variables if any) -> axes (3, 3 k) and origins (3, k) [m] of each element in turn.
    """

    dae: DAE
    function: ca.Function

    def __call__(self, x: Values = None, p: Values = None) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Return axes (k, 3, 3) and origins (k, 3) [m] in the world of the k frames of every element, by its name.

        Raises
        ------
        NameUnknownError, ParameterError
            As of `Shape`.
        """
        dae, values = self.dae, self.dae.p.values(p, "p: ")
        parts = [part.full() for part in self.function.call([*posture(dae, dae.x.values(x, "x: "), values)])]
        return {
            element.name: (np.array(np.split(axes, len(element.places), axis=1)), origins.T)
            for element, axes, origins in zip(dae.tree.elements, parts[::2], parts[1::2], strict=True)
        }


def attached_frames(dae: DAE) -> AttachedFrames:
    """Return the frames that the force elements of an arm act on."""
    tree, inlets = dae.tree, poses(dae.tree, dae.q)
    parts = []
    for element in tree.elements:
        frames = []
        for index, outlet in element.places:
            body, (R, r) = tree.bodies[index], inlets[index]
            if body.block.port(outlet).spec.outlet:
                terms = terms_at(body, (outlet,), dae.p.symbol)
                end = terms.outlets[outlet]
                symbols = [terms.inlet.R, terms.inlet.r, terms.symbols.q, terms.p]
                pose = ca.Function("pose", symbols, terms.local.intermediates.expanded([end.R, end.r]))
                R, r = pose.call([R, r, body.gather(dae.q), body.terms.p], True, False)
            frames.append((R, r))
        parts += [ca.horzcat(*[R for R, _ in frames]), ca.horzcat(*[r for _, r in frames])]
    return AttachedFrames(dae, ca.Function("frames", [*dae.posture_symbols], [ca.densify(part) for part in parts]))


def bending(dae: DAE) -> np.ndarray:
    """Return the mask (nx,) of the states that are deformations of beams; scaling these exaggerates the deflection."""
    chosen = np.zeros(len(dae.x), dtype=bool)
    for body in dae.tree.bodies:
        if isinstance(body.block, HasStations):
            chosen[list(body.share.used)] = True
    return chosen


def outlets_of(body: Body, outlets: tuple[str, ...], p: ca.SX) -> ca.Function:
    """Return the function (R, r, q, p) -> origins (3, k) of these outlets, from the body's pose and coordinates.

    The last argument is `p` with the block's dependent variables, as ``body.terms.p``.
    """
    terms = terms_at(body, outlets, p)
    points = ca.horzcat(*[terms.outlets[name].r for name in outlets])
    results = terms.local.intermediates.expanded([points])
    return ca.Function("outlets", [terms.inlet.R, terms.inlet.r, terms.symbols.q, terms.p], results)


def _line(body: Body, R: ca.SX, r: ca.SX, q: ca.SX, p: ca.SX, stations: int) -> ca.SX:
    """Return the centreline (3, k) of one body, from its inlet outward."""
    outlets = body.block.centerline(stations)
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
    return ca.cse(frame_motion(dae.tree, name, dae.q, ca.SX(dae.tree.size, 1)).r)
