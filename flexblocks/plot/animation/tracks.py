"""Tracks: the motion of the parts of an arm, with deflections apart so that they can be exaggerated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexblocks.libraries import scipy
from flexblocks.plot.animation.arm import Part
from flexblocks.plot.animation.poses import BodyPoses, bends


@dataclass(frozen=True, eq=False)
class Track:
    """Track of one part.

    Attributes
    ----------
    R : ndarray (frames, 3, 3)
    r : ndarray (frames, 3)
        Pose of its inlet in the world.
    rest : ndarray (frames,)
        Length of the straight part along its x axis [m]; 0 of one that is no beam.
    shift, turn : ndarray (frames, k, 3)
        Of its stations, from their place on the straight part, as seen from the inlet [m], and the rotation vector of
        their turn [rad].
    """

    R: np.ndarray
    r: np.ndarray
    rest: np.ndarray
    shift: np.ndarray
    turn: np.ndarray


def track(poses: BodyPoses) -> Track:
    """Return the track of a part with these poses.

    The straight length is that of the part's stretched centreline.
    """
    R, r = poses.R[:, 0], poses.r[:, 0]
    local = np.einsum("tji,tkj->tki", R, poses.r[:, 1:] - r[:, None])
    turned = np.einsum("tji,tkjl->tkil", R, poses.R[:, 1:])
    frames, k = local.shape[:2]
    if not k:
        return Track(R, r, np.zeros(frames), local, np.zeros((frames, 0, 3)))
    steps = np.diff(np.concatenate([np.zeros((frames, 1, 3)), local], axis=1), axis=1)
    rest = np.linalg.norm(steps, axis=2).sum(axis=1) if bends(poses.body) else np.zeros(frames)
    straight = np.zeros_like(local)
    straight[..., 0] = rest[:, None] * np.arange(1, k + 1) / k
    turn = scipy.spatial.transform.Rotation.from_matrix(turned.reshape(-1, 3, 3)).as_rotvec().reshape(frames, k, 3)
    return Track(R, r, rest, local - straight, turn)


def exaggerated(
    parts: Sequence[Part], tracks: Sequence[Track], factor: float = 1.0
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return orientations (frames, 1 + k, 3, 3) and positions (frames, 1 + k, 3) [m] of all stations of all parts.

    Each beam's deflection is multiplied by `factor` as seen from its root, and what it carries goes along: joints turn
    by the same angles, and nothing is torn apart but closed loops. The viewer does the same.
    """
    true: list[tuple[np.ndarray, np.ndarray]] = []
    posed: list[tuple[np.ndarray, np.ndarray]] = []
    for part, one in zip(parts, tracks, strict=True):
        R, r = one.R, one.r
        if part.parent >= 0 and factor != 1.0:
            was_R, was_r = (values[:, part.anchor] for values in true[part.parent])
            now_R, now_r = (values[:, part.anchor] for values in posed[part.parent])
            moved = now_R @ was_R.swapaxes(1, 2)
            R, r = moved @ one.R, now_r + np.einsum("tij,tj->ti", moved, one.r - was_r)
        true.append(_stations(one, one.R, one.r, 1.0))
        posed.append(_stations(one, R, r, factor))
    return posed


def _stations(one: Track, R: np.ndarray, r: np.ndarray, factor: float) -> tuple[np.ndarray, np.ndarray]:
    frames, k = one.shift.shape[:2]
    local = factor * one.shift
    local[..., 0] += one.rest[:, None] * np.arange(1, k + 1) / max(k, 1)
    turned = np.zeros((frames, k, 3, 3))
    if k:
        rotations = scipy.spatial.transform.Rotation.from_rotvec((factor * one.turn).reshape(-1, 3))
        turned = rotations.as_matrix().reshape(frames, k, 3, 3)
    at = r[:, None] + np.einsum("tij,tkj->tki", R, local)
    return (
        np.concatenate([R[:, None], R[:, None] @ turned], axis=1),
        np.concatenate([r[:, None], at], axis=1),
    )
