"""The axes about which the joints, beams and bases inboard of a body can turn it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexblocks.dynamics.at_posture.block_numbers import PostureNumbers
from flexblocks.dynamics.tree.tree import Tree

# Sine of the angle between two axes below which they are one but for rounding, as of an orientation in right angles.
PARALLEL = 1e-9
# A direction (3) in the axes of a body, and the index of the body whose coordinates turn about it.
Axis = tuple[np.ndarray, int]


def turning_axes(tree: Tree, numbers: PostureNumbers) -> list[tuple[Axis, ...]]:
    """Return by body independent axes, three at most, about which its inlet can turn in the tree of frames.

    If they are one and the same for a body at one posture they are at all of them: turns about parallel axes leave
    these where they are.
    """
    axes: list[tuple[Axis, ...]] = []
    for body in tree.bodies:
        if body.parent is None or body.outlet is None:
            axes.append(())
            continue
        outlet, parent = numbers.map(body.parent, body.outlet), tree.bodies[body.parent]
        own = outlet[:3, 6:] @ parent.share.within(parent.share.used)
        inboard = [(outlet[:3, :3] @ axis, index) for axis, index in axes[body.parent]]
        axes.append(_independent([*inboard, *((column, body.parent) for column in own.T)]))
    return axes


def turning(tree: Tree, numbers: PostureNumbers, index: int) -> np.ndarray:
    """Return the angular velocities (3, n) of the inlet of a body, in its axes, by the rates of the coordinates."""
    body = tree.bodies[index]
    if body.parent is None or body.outlet is None:
        return np.zeros((3, tree.size))
    return _twists(tree, numbers, body.parent, body.outlet)[:3]


def _twists(tree: Tree, numbers: PostureNumbers, index: int, outlet: str) -> np.ndarray:
    body, inlet = tree.bodies[index], np.zeros((6, tree.size))
    if body.parent is not None and body.outlet is not None:
        inlet = _twists(tree, numbers, body.parent, body.outlet)
    return numbers.map(index, outlet) @ np.vstack([inlet, body.share.full()])


def leaves_z(axis: np.ndarray, within: float = PARALLEL) -> bool:
    """Whether a direction (3) of any length is not that of z."""
    return bool(np.linalg.norm(axis[:2]) > within * np.linalg.norm(axis))


def _independent(axes: Sequence[Axis]) -> tuple[Axis, ...]:
    kept: list[Axis] = []
    base = np.zeros((3, 0))
    for direction, index in axes:
        size = np.linalg.norm(direction)
        if not size:
            continue
        rest = direction / size - base @ (base.T @ (direction / size))
        if np.linalg.norm(rest) > PARALLEL:
            kept.append((direction / size, index))
            base = np.column_stack([base, rest / np.linalg.norm(rest)])
    return tuple(kept)
