"""Poses of all bodies of an arm along a motion, with those of stations along its beams."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.blocks.bodies.reduced_body import ReducedBody
from flexblocks.blocks.bodies.sliding_beam import SlidingBeam
from flexblocks.blocks.bodies.stations import HasStations
from flexblocks.bodies.flexible_body import Surface
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.frame_motions import placed, terms_at
from flexblocks.dynamics.algorithms.kinematics import poses
from flexblocks.dynamics.evaluation.body import Body

# Stations of a beam besides its root: bent tubes look smooth, and files of six beams stay small. By trial.
STATIONS = 20
# Half the step of the differences that give speeds, in units of the coordinates [m or rad].
STEP = 1e-5


@dataclass(frozen=True, eq=False)
class BodyPoses:
    """Poses of one body over time: its inlet and, of a beam, stations from there to its end.

    Stations of a `ReducedBody` are where its inlet would be if all of it moved as the surface there.

    Attributes
    ----------
    body : Body
    R : ndarray (frames, k, 3, 3)
        Orientations: columns are axes in the world.
    r : ndarray (frames, k, 3)
        Positions [m]; k = 1 for a body that does not bend.
    """

    body: Body
    R: np.ndarray
    r: np.ndarray


def bends(body: Body) -> bool:
    """Whether a body is a beam or link, drawn through its stations."""
    return isinstance(body.block, (HasStations, SlidingBeam))


def stations_of(body: Body, stations: int = STATIONS) -> tuple[str, ...]:
    """Return the outlets of a body that are its stations."""
    if isinstance(body.block, SlidingBeam):
        return ("frame_b",)
    if isinstance(body.block, ReducedBody):
        return body.block.stations
    return body.block.centerline(stations) if isinstance(body.block, HasStations) else ()


def surface_of(body: Body) -> Surface | None:
    """Return the surface of a `ReducedBody`; None of one without, and of other bodies."""
    return body.block.surface if isinstance(body.block, ReducedBody) else None


def surface_places(body: Body) -> np.ndarray:
    """Return the places (k, 3) [m] of the stations of a `ReducedBody`, undeformed; none of another body."""
    drawn = surface_of(body)
    return np.zeros((0, 3)) if drawn is None else drawn.stations


@lru_cache(maxsize=8)
def _function(dae: DAE, stations: int) -> ca.Function:
    """Return the function (q, p, dependent variables) -> poses (12, k) of each body with a place, stacked."""
    results = []
    for body, (R, r) in zip(dae.tree.bodies, poses(dae.tree, dae.q), strict=True):
        if body.parent is None and not body.terms.outlets:
            continue
        columns = [ca.vertcat(ca.vec(R), r)]
        outlets = stations_of(body, stations)
        if outlets:
            terms = terms_at(body, outlets, dae.p.symbol)
            ends = [ca.vertcat(ca.vec(terms.outlets[name].R), terms.outlets[name].r) for name in outlets]
            results_at = terms.local.intermediates.expanded([ca.horzcat(*ends)])
            at = ca.Function("at", [terms.inlet.R, terms.inlet.r, terms.symbols.q, terms.p], results_at)
            columns.append(at(R, r, body.gather(dae.q), body.terms.p))
        results.append(ca.densify(ca.horzcat(*columns)))
    symbols = dae.posture_symbols
    return ca.Function("poses", [*symbols], [ca.horzcat(*results)])


def body_poses(dae: DAE, x: np.ndarray, z: np.ndarray, p: np.ndarray, stations: int = STATIONS) -> list[BodyPoses]:
    """Return the poses of all bodies with a place in space at states x (frames, nx) and algebraic variables z.

    A sliding beam bends through a cubic between the frames at its ends.
    """
    arguments = dae.posture(x.T, z.T, p)
    return [_from_inlet(one) for one in _split(dae, _evaluated(dae, stations, *arguments), stations)]


def speeds(dae: DAE, x: np.ndarray, z: np.ndarray, p: np.ndarray, stations: int = STATIONS) -> list[np.ndarray]:
    """Return the speed (frames, k) [m/s] of all points of `body_poses`, by differences along the rates."""
    q, *others = dae.posture(x.T, z.T, p)
    rates = x[:, dae.tree.size : 2 * dae.tree.size].T
    scale = np.maximum(np.abs(rates).max(axis=0, initial=0.0), np.finfo(float).tiny)
    step = STEP * rates / scale
    ahead, behind = (_split(dae, _evaluated(dae, stations, q + s * step, *others), stations) for s in (1, -1))
    rate = (scale / (2 * STEP))[:, None]
    return [rate * np.linalg.norm(a.r - b.r, axis=2) for a, b in zip(ahead, behind, strict=True)]


def _evaluated(dae: DAE, stations: int, *arguments: np.ndarray) -> np.ndarray:
    """Return poses (frames, k, 12) at the columns of the arguments."""
    q, p, *dependent = arguments
    frames = q.shape[1]
    columns = [q, np.broadcast_to(p if p.ndim > 1 else p[:, None], (len(p), frames)), *dependent]
    values = _function(dae, stations).map(frames)(*columns)
    return np.array(values).T.reshape(frames, -1, 12)


def _split(dae: DAE, values: np.ndarray, stations: int) -> list[BodyPoses]:
    found, column = [], 0
    for body in placed(dae.tree):
        count = 1 + len(stations_of(body, stations))
        part = values[:, column : column + count]
        column += count
        R = part[..., :9].reshape(*part.shape[:2], 3, 3).swapaxes(2, 3)  # CasADi stacks columns
        r = part[..., 9:]
        if isinstance(body.block, SlidingBeam):
            R, r = _cubic(R, r, stations)
        found.append(BodyPoses(body, R, r))
    return found


def _from_inlet(one: BodyPoses) -> BodyPoses:
    """Return the poses of a body with those on a surface as of its inlet, moved as they are."""
    places = surface_places(one.body)
    if not len(places):
        return one
    r = one.r.copy()
    r[:, 1:] -= np.einsum("tkij,kj->tki", one.R[:, 1:], places)
    return BodyPoses(one.body, one.R, r)


def _cubic(R: np.ndarray, r: np.ndarray, stations: int) -> tuple[np.ndarray, np.ndarray]:
    """Return poses along the cubic between two frames whose x axes it follows."""
    s = np.linspace(0.0, 1.0, stations + 1)[None, :, None]
    length = np.linalg.norm(r[:, 1] - r[:, 0], axis=1)[:, None, None]
    a, b = r[:, :1], r[:, 1:]
    ta, tb = length * R[:, :1, :, 0], length * R[:, 1:, :, 0]
    h = (2 * s**3 - 3 * s**2 + 1, s**3 - 2 * s**2 + s, 3 * s**2 - 2 * s**3, s**3 - s**2)
    line = h[0] * a + h[1] * ta + h[2] * b + h[3] * tb
    d = (6 * s**2 - 6 * s, 3 * s**2 - 4 * s + 1, 6 * s - 6 * s**2, 3 * s**2 - 2 * s)
    x = d[0] * a + d[1] * ta + d[2] * b + d[3] * tb
    x = x / np.maximum(np.linalg.norm(x, axis=2, keepdims=True), 1e-300)
    y = (1 - s) * R[:, :1, :, 1] + s * R[:, 1:, :, 1]
    y = y - x * np.sum(x * y, axis=2, keepdims=True)
    y = y / np.maximum(np.linalg.norm(y, axis=2, keepdims=True), 1e-300)
    return np.stack([x, y, np.cross(x, y)], axis=3), line
