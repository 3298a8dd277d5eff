"""What is straight between points of an arm: rods between parts, and its force elements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.blocks.forces.cable import Cable
from flexblocks.blocks.forces.contact import Contact
from flexblocks.blocks.forces.hydraulic_cylinder import HydraulicCylinder
from flexblocks.blocks.forces.line_force import LineForce
from flexblocks.blocks.forces.pulley_rope import _RopeSpans, tangent_points
from flexblocks.blocks.forces.spring_damper import SpringDamper
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.frame_motions import placed
from flexblocks.dynamics.evaluation.body import Body
from flexblocks.geometry import attached_frames
from flexblocks.plot.animation.arm import Arm, Place, Strut, numbers, station_of
from flexblocks.plot.animation.poses import BodyPoses, bends
from flexblocks.plot.animation.shapes.looks import Scale
from flexblocks.plot.animation.shapes.span import FULL, length

# Share of a line force's length that its barrel takes; half a contact's plane, of the arm's size.
BARREL, PLANE = 0.55, 0.12

# What an element looks like: role, shape, both points (numbers among its own), radius, span.
Drawn = list[tuple[str, str, int, int, float, tuple[float, float]]]
# Axes (frames, k, 3, 3) and origins (frames, k, 3) of the k frames of each force element.
ElementFrames = list[tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True, eq=False)
class Struts:
    """Struts with the points between which they are.

    Attributes
    ----------
    struts : tuple of Strut
    places : tuple of Place
        For each point the station that it moves with.
    points : ndarray (frames, k, 3)
        [m]
    first : dict of int
        By force element the number of the point at the first of its frames, which the others follow; then, of a
        contact, those of its plane below the sphere and above there.
    """

    struts: tuple[Strut, ...]
    places: tuple[Place, ...]
    points: np.ndarray
    first: Mapping[str, int]


def struts(dae: DAE, arm: Arm, poses: list[BodyPoses], frames: ElementFrames) -> Struts:
    """Return the struts of an arm during a motion: rods, then force elements, whose frames are `frames`."""
    drawn: list[Strut] = []
    places: list[Place] = []
    points: list[np.ndarray] = []
    for a, b in arm.rods:
        part = arm.parts[a]
        role = "strut"
        drawn.append(
            Strut(part.name, part.kind, part.numbers, role, "rod", len(points), len(points) + 1, 0.42 * arm.scale.joint)
        )
        for i in (a, b):
            places.append((i, 0))
            points.append(poses[i].r[:, 0])
    number = {body.name: i for i, body in enumerate(placed(dae.tree))}
    starts: dict[str, int] = {}
    for element, (axes, origins) in zip(dae.tree.elements, frames, strict=True):
        block, first = element.terms.block, len(points)
        starts[element.name] = first
        lugs: list[tuple[int, int]] = []
        for k, (index, outlet) in enumerate(element.places):
            body = dae.tree.bodies[index]
            places.append((number[body.name], station_of(body, outlet)))
            points.append(origins[:, k])
            if block.ports[k].name in block.sketch():
                lugs += _lug(arm, poses, number[body.name], body, origins[:, k], len(points) - 1)
        for k, point in _more(block, axes, origins):
            places.append(places[first + k])
            points.append(point)
        for role, shape, start, end, radius, span in _draw(block)(block.nominal, arm.scale, origins):
            drawn.append(
                Strut(
                    element.name,
                    type(block).__name__,
                    numbers(block),
                    role,
                    shape,
                    first + start,
                    first + end,
                    radius,
                    span,
                )
            )
        for i, end in lugs:
            part, at = arm.parts[i], len(points)
            places.append((i, 0))
            points.append(poses[i].r[:, 0])
            drawn.append(Strut(part.name, part.kind, part.numbers, "strut", "rod", at, end, 0.42 * arm.scale.joint))
    stacked = np.stack(points, axis=1) if points else np.zeros((len(poses[0].r), 0, 3))
    return Struts(tuple(drawn), tuple(places), stacked, starts)


def _lug(arm: Arm, poses: list[BodyPoses], i: int, body: Body, end: np.ndarray, point: int) -> list[tuple[int, int]]:
    """Return what holds the end of a force element to a rigid part at some distance from it: a part and a point."""
    away = float(np.linalg.norm(end - poses[i].r[:, 0], axis=1).max())
    drawn = any(role in ("ground", "body") for role, _ in arm.parts[i].look)
    return [(i, point)] if not bends(body) and not drawn and away > arm.scale.joint else []


def element_frames(dae: DAE, x: np.ndarray, z: np.ndarray, p: np.ndarray) -> ElementFrames:
    """Return axes (frames, k, 3, 3) and origins (frames, k, 3) of the k frames of each force element."""
    if not dae.tree.elements:
        return []
    q, _, *dependent = dae.posture(x.T, z.T, p)
    frames = len(x)
    values = (
        attached_frames(dae)
        .function.map(frames)
        .call([q, np.broadcast_to(p if p.ndim > 1 else p[:, None], (len(p), frames)), *dependent])
    )
    found = []
    for axes, origins in zip(values[::2], values[1::2], strict=True):
        k = axes.shape[1] // frames // 3
        found.append(
            (
                np.array(axes).T.reshape(frames, k, 3, 3).swapaxes(2, 3),
                np.array(origins).T.reshape(frames, k, 3),
            )
        )
    return found


def _more(block: Any, axes: np.ndarray, origins: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """Return points (frames, 3) besides those of an element's frames, each with the number of that it moves with."""
    if isinstance(block, _RopeSpans):
        return tangent_points(block.nominal, axes, origins)
    return [(1, point) for point in _foot(block.nominal, axes, origins)] if isinstance(block, Contact) else []


def _foot(block: Any, axes: np.ndarray, origins: np.ndarray) -> list[np.ndarray]:
    """Return the point of a contact's plane below the sphere, and one above it along the normal."""
    normal = axes[:, 1] @ np.array(block.normal)
    gap = np.sum(normal * (origins[:, 0] - origins[:, 1]), axis=1, keepdims=True)
    foot = origins[:, 0] - gap * normal
    return [foot, foot + normal]


def _draw(block: Any) -> Callable[[Any, Scale, np.ndarray], Drawn]:
    return next((draw for kind, draw in DRAWN.items() if isinstance(block, kind)), _dots)


def _cylinder(block: Any, scale: Scale, origins: np.ndarray) -> Drawn:
    distance = np.linalg.norm(origins[:, 1] - origins[:, 0], axis=1)
    barrel = 0.9 * block.retracted if isinstance(block, HydraulicCylinder) else BARREL * float(distance.min())
    radius = min(0.9 * scale.joint, 0.09 * float(distance.max()))
    return [
        ("barrel", "rod", 0, 1, radius, (0.0, length(barrel))),
        ("rod", "rod", 0, 1, 0.5 * radius, FULL),
        ("joint", "ball", 0, 0, 1.05 * radius, FULL),
        ("joint", "ball", 1, 1, 1.05 * radius, FULL),
    ]


def _rope(block: Any, scale: Scale, origins: np.ndarray) -> Drawn:
    del block
    count, thin = origins.shape[1], 0.16 * scale.joint
    lines: Drawn = [("rope", "rod", i, i + 1, thin, FULL) for i in range(count - 1)]
    return lines + [("rim", "ball", i, i, 0.45 * scale.joint, FULL) for i in range(1, count - 1)]


def _spans(block: Any, scale: Scale, origins: np.ndarray) -> Drawn:
    ends, first = 2 * len(block.lengths), origins.shape[1]
    return [("rope", "rod", first + i, first + i + 1, 0.16 * scale.joint, FULL) for i in range(0, ends, 2)]


def _spring(block: Any, scale: Scale, origins: np.ndarray) -> Drawn:
    del block
    most = float(np.linalg.norm(origins[:, 1] - origins[:, 0], axis=1).max())
    return [("spring", "coil", 0, 1, min(0.8 * scale.joint, 0.12 * most), FULL)]


def _contact(block: Any, scale: Scale, origins: np.ndarray) -> Drawn:
    foot = origins.shape[1]
    size = max(PLANE * scale.arm, 2 * block.radius)
    ball: Drawn = [("contact", "ball", 0, 0, block.radius, FULL)] if block.radius else []
    return [("plane", "plate", foot, foot + 1, size, FULL), *ball]


def _dots(block: Any, scale: Scale, origins: np.ndarray) -> Drawn:
    del block
    return [("force", "ball", i, i, 0.5 * scale.joint, FULL) for i in range(origins.shape[1])]


DRAWN: dict[type, Callable[[Any, Scale, np.ndarray], Drawn]] = {
    HydraulicCylinder: _cylinder,
    LineForce: _cylinder,
    Cable: _rope,
    _RopeSpans: _spans,
    SpringDamper: _spring,
    Contact: _contact,
}
