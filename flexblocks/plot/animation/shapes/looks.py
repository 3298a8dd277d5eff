"""What each block looks like in space: its meshes, in the axes of its inlet."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.blocks.bodies.accelerometer import Accelerometer
from flexblocks.blocks.bodies.lumped_mass import LumpedMass
from flexblocks.blocks.bodies.payload import Payload
from flexblocks.blocks.bodies.rigid_body import RigidBody
from flexblocks.blocks.drives.rotor import Rotor
from flexblocks.blocks.forces.pulley_rope import _Pulley
from flexblocks.blocks.joints.prismatic import Prismatic
from flexblocks.blocks.joints.revolute import Revolute
from flexblocks.blocks.joints.spherical import Spherical
from flexblocks.plot.animation.shapes.mesh import Mesh, along, box, cylinder, joined, sphere

STEEL = 7850.0  # kg/m3: density of masses of which no size is known
# Bounds of what stands for a mass, in units of the size of joints, and of the arm.
SMALLEST, LARGEST = 0.9, 0.12


@dataclass(frozen=True)
class Scale:
    """Sizes of what has none of its own: `joint`, the radius of joints [m], and `arm`, the extent of the arm [m]."""

    joint: float
    arm: float


Look = list[tuple[str, Mesh]]


def look(block: Any, scale: Scale) -> Look:
    """Return the meshes of a block that does not bend, each with its role; none of what is not seen."""
    for kind, draw in LOOKS.items():
        if isinstance(block, kind):
            return draw(block.nominal, scale)
    return []


def ground(up: np.ndarray, scale: Scale) -> Look:
    """Return a pedestal below the place where an arm stands."""
    s = scale.joint
    foot = cylinder(up, 2.6 * s, 0.5 * s, 32).moved(-2.35 * s * up)
    return [("ground", joined([cylinder(up, 1.5 * s, 1.2 * s, 32).moved(-1.5 * s * up), foot]))]


def motor(axis: Any, scale: Scale) -> Look:
    """Return a rotor beside the joint that it turns."""
    s = scale.joint
    direction = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    return [("motor", cylinder(direction, 0.85 * s, 0.9 * s).moved(-1.75 * s * direction))]


def _revolute(block: Any, scale: Scale) -> Look:
    s = scale.joint
    rim = [
        cylinder(block.direction, 1.12 * s, 0.18 * s, 28).moved(np.array(block.direction) * side * s)
        for side in (1, -1)
    ]
    return [("joint", cylinder(block.direction, s, 2.4 * s, 28)), ("rim", joined(rim))]


def _prismatic(block: Any, scale: Scale) -> Look:
    s = scale.joint
    return [("joint", box((2.4 * s, 1.8 * s, 1.8 * s)).moved(np.zeros(3), along(block.direction)))]


def _ball(block: Any, scale: Scale) -> Look:
    del block
    return [("joint", sphere(1.1 * scale.joint))]


def _rotor(block: Any, scale: Scale) -> Look:
    return motor(getattr(block, "axis", None) or (0.0, 0.0, 1.0), scale)


def _pulley(block: Any, scale: Scale) -> Look:
    axis = np.array([0.0, 0.0, 1.0])
    return [("motor", cylinder(axis, block.radius, 0.6 * scale.joint, 40).moved(-0.3 * scale.joint * axis))]


def _payload(block: Any, scale: Scale) -> Look:
    center = np.array(block.center)
    parts: Look = [("payload", _solid(block.mass, block.inertia, scale).moved(center))]
    if np.linalg.norm(center) > 0.5 * scale.joint:
        parts.append(("strut", _rod(center, 0.35 * scale.joint)))
    return [*parts, *_center(center, scale)]


def _rigid_body(block: Any, scale: Scale) -> Look:
    center = np.array(block.center)
    return [("body", _solid(block.mass, block.inertia, scale).moved(center)), *_center(center, scale)]


def _mass(block: Any, scale: Scale) -> Look:
    return [("payload", sphere(_mass_radius(block.mass, scale)))]


def _sensor(block: Any, scale: Scale) -> Look:
    del block
    return [("motor", box(np.full(3, 0.9 * scale.joint)).moved((0.0, 1.2 * scale.joint, 0.0)))]


def _center(center: np.ndarray, scale: Scale) -> Look:
    """Return the sign of a centre of mass: a ball that shows through what is around it."""
    return [("center", sphere(0.32 * scale.joint, 7).moved(center))]


def _rod(to: np.ndarray, radius: float) -> Mesh:
    return cylinder(to, radius, float(np.linalg.norm(to)), 12).moved(to / 2)


def _mass_radius(mass: float, scale: Scale) -> float:
    radius = (3 * mass / (4 * math.pi * STEEL)) ** (1 / 3)
    return min(max(radius, SMALLEST * scale.joint), LARGEST * scale.arm)


def _solid(mass: float, inertia: Any, scale: Scale) -> Mesh:
    """Return the box that has this mass and inertia; a ball of steel where no box has."""
    radius = _mass_radius(mass, scale)
    if mass > 0 and not isinstance(inertia, (int, float)):
        given = np.array(inertia, dtype=float)
        moments, axes = np.linalg.eigh(np.diag(given) if given.ndim == 1 else given)
        squares = 6 * (moments.sum() / 2 - moments) * 2 / mass
        if np.all(squares > 0):
            sizes = np.clip(np.sqrt(squares), 1.2 * SMALLEST * scale.joint, 2 * LARGEST * scale.arm)
            turn = axes * np.sign(np.linalg.det(axes))
            return box(sizes).moved(np.zeros(3), turn)
    return sphere(radius, 14)


LOOKS: dict[type, Callable[[Any, Scale], Look]] = {
    Revolute: _revolute,
    Prismatic: _prismatic,
    Spherical: _ball,
    Rotor: _rotor,
    _Pulley: _pulley,
    Payload: _payload,
    RigidBody: _rigid_body,
    LumpedMass: _mass,
    Accelerometer: _sensor,
}
