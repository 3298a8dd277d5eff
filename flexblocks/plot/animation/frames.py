"""Frames of an arm that are shown with their axes and names."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.blocks.joints.fixed_transform import FixedTransform
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.frame_motions import frame_motion, placed
from flexblocks.dynamics.evaluation.body import Body
from flexblocks.plot.animation.arm import Place
from flexblocks.plot.animation.poses import STATIONS, BodyPoses, bends


@dataclass(frozen=True, eq=False)
class NamedFrame:
    """A frame that moves with a station of a part.

    Attributes
    ----------
    name : str
        Of the block whose inlet it is, or of an outlet.
    place : Place
    R : ndarray (3, 3)
    r : ndarray (3,)
        Its pose in the axes of the station [m].
    """

    name: str
    place: Place
    R: np.ndarray
    r: np.ndarray


def named_frames(
    dae: DAE, poses: list[BodyPoses], x: np.ndarray, z: np.ndarray, p: np.ndarray
) -> tuple[NamedFrame, ...]:
    """Return the inlets of all bodies and the outlets that carry none; of a fixed transform its outlet alone."""
    carrying = {
        (dae.tree.bodies[body.parent].name, body.outlet) for body in placed(dae.tree) if body.parent is not None
    }
    frames: list[NamedFrame] = []
    for i, (one, body) in enumerate(zip(poses, placed(dae.tree), strict=True)):
        fixed = isinstance(body.block, FixedTransform)
        if not fixed:
            frames.append(NamedFrame(body.name, (i, 0), np.eye(3), np.zeros(3)))
        ends = body.parent is not None and "frame_b" in {spec.name for spec in body.block.ports}
        if not ends or (body.name, "frame_b") in carrying:
            continue
        name = body.name if fixed else f"{body.name}.frame_b"
        if bends(body):
            frames.append(NamedFrame(name, (i, STATIONS), np.eye(3), np.zeros(3)))
        elif not body.block.coordinates():
            frames.append(NamedFrame(name, (i, 0), *_outlet(dae, body, one, x, z, p)))
    return tuple(frames)


def _outlet(
    dae: DAE, body: Body, poses: BodyPoses, x: np.ndarray, z: np.ndarray, p: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the pose of a rigid body's outlet, as its inlet sees it."""
    motion = frame_motion(dae.tree, f"{body.name}.frame_b", dae.q, ca.SX(dae.tree.size, 1))
    pose = ca.Function("outlet", [*dae.posture_symbols], [motion.R, motion.r])
    R, r = (np.array(part.full()) for part in pose.call([*dae.posture(x[0], z[0], p[:, 0] if p.ndim > 1 else p)]))
    back = poses.R[0, 0].T
    return back @ R, back @ (r.ravel() - poses.r[0, 0])
