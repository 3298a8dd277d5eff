"""Forces and torques at places of an arm during a motion, from the equations of its force elements and loaded beams."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.blocks.forces.contact import Contact
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.element_forces import frame_wrenches
from flexblocks.dynamics.algorithms.frame_motions import placed
from flexblocks.dynamics.algorithms.generalized_forces import block_arguments
from flexblocks.dynamics.evaluation.block_terms import call
from flexblocks.plot.animation.arm import Place
from flexblocks.plot.animation.poses import BodyPoses
from flexblocks.plot.animation.struts import ElementFrames, Struts


@dataclass(frozen=True, eq=False)
class Force:
    """A force or a torque at a point.

    Attributes
    ----------
    name, kind : str
        Of the block that exerts it, and its type.
    unit : "N" or "N m"
    point : int
        Number of the point it acts at: of those of the struts, then of those of `Forces`.
    values : ndarray (frames, 3)
        In the axes of the world.
    """

    name: str
    kind: str
    unit: str
    point: int
    values: np.ndarray


@dataclass(frozen=True, eq=False)
class Forces:
    """Forces and torques of a motion that are not zero throughout, with the points that only they have.

    Attributes
    ----------
    forces : tuple of Force
    places : tuple of Place
        For each point the station that it moves with.
    points : ndarray (frames, k, 3)
        [m]
    """

    forces: tuple[Force, ...]
    places: tuple[Place, ...]
    points: np.ndarray

    @staticmethod
    def none(frames: int) -> Forces:
        """Return no forces, as of a mode."""
        return Forces((), (), np.zeros((frames, 0, 3)))


def forces(
    dae: DAE,
    poses: list[BodyPoses],
    struts: Struts,
    frames: ElementFrames,
    x: np.ndarray,
    z: np.ndarray,
    u: np.ndarray,
    p: np.ndarray,
) -> Forces:
    """Return the forces at states x (frames, nx) and algebraic variables z of a motion under inputs u.

    Those of force elements act on each of their frames, that of a contact on its sphere where it touches; the load on
    a beam is its resultant.
    """
    function = _wrenches(dae)
    count = len(x)
    values = np.array(function(x.T, z.T, u.T, p)).reshape(-1, count).T.reshape(count, -1, 6)
    found: list[Force] = []
    column = 0
    for element, (axes, _) in zip(dae.tree.elements, frames, strict=True):
        first, block = struts.first[element.name], element.terms.block
        for k in range(len(element.places)):
            on_frame = values[:, column + k]
            if block.ports[k].name not in block.sketch():
                continue
            if not isinstance(block, Contact):
                found += _pair(element.name, type(block).__name__, first + k, axes[:, k], on_frame)
            elif k == 0:
                found += _pair(element.name, type(block).__name__, first + 2, axes[:, k], on_frame)[:1]
        column += len(element.places)
    places, points = [], []
    for i, one in enumerate(poses):
        if one.body.terms.has_wrench:
            on_inlet, at = values[:, column], len(struts.places) + len(places)
            column += 1
            found += _pair(one.body.name, type(one.body.block).__name__, at, one.R[:, 0], on_inlet)[:1]
            station = _middle(one, on_inlet)
            places.append((i, station))
            points.append(one.r[:, station])
    stacked = np.stack(points, axis=1) if points else np.zeros((count, 0, 3))
    return Forces(tuple(force for force in found if np.any(force.values)), tuple(places), stacked)


@lru_cache(maxsize=4)
def _wrenches(dae: DAE) -> ca.Function:
    """Return the function (x, z, u, p) -> wrenches (6), torque over force, on the frames of elements, then on beams."""
    tree, x, z = dae.tree, dae.x.symbol, dae.z.symbol
    inputs = tree.block_inputs(x, z, dae.u.symbol)
    rows = [wrench for of_element in frame_wrenches(tree, x, z, inputs).values() for wrench in of_element]
    for body in placed(tree):
        if body.terms.has_wrench:
            rows += call(body.terms.wrench, *block_arguments(tree, body, x, z, inputs))
    arguments = [x, z, dae.u.symbol, dae.p.symbol]
    return ca.Function("wrenches", arguments, [ca.densify(ca.vertcat(*rows, ca.SX(0, 1)))])


def _pair(name: str, kind: str, point: int, axes: np.ndarray, wrench: np.ndarray) -> list[Force]:
    """Return the force and the torque of a wrench (frames, 6) in the axes (frames, 3, 3) of a frame."""
    parts = {"N": wrench[:, 3:], "N m": wrench[:, :3]}
    return [Force(name, kind, unit, point, np.einsum("tij,tj->ti", axes, values)) for unit, values in parts.items()]


def _middle(poses: BodyPoses, wrench: np.ndarray) -> int:
    """Return the station of a beam nearest to the line of its load, on the average weighted by the squared force."""
    torque, force = wrench[:, :3], wrench[:, 3:]
    arm = np.cross(force, torque).sum(axis=0) / max(float(np.sum(force**2)), np.finfo(float).tiny)
    along = np.einsum("tji,tkj->tki", poses.R[:, 0], poses.r - poses.r[:, :1])[..., 0].mean(axis=0)
    return int(np.argmin(np.abs(along - arm[0])))
