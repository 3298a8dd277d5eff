"""What the shapes of bodies look like: each is drawn by an entry here; triangles of files are shared out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from flexblocks.blocks.bodies.payload import Payload
from flexblocks.blocks.bodies.rigid_link import RigidLink
from flexblocks.interfaces import Block
from flexblocks.plot.animation.shapes import mesh_file
from flexblocks.plot.animation.shapes.looks import Look
from flexblocks.plot.animation.shapes.mesh import Mesh, box, cylinder, sphere
from flexblocks.plot.animation.shapes.palette import rgb
from flexblocks.shapes import Cuboid, Cylinder, Shape, Sphere
from flexblocks.shapes import Mesh as MeshOfFile
from flexblocks.shapes.shape import attitude_matrix, shapes_of

PRIMITIVES: dict[type[Shape], Callable[[Any], Mesh]] = {
    Cuboid: lambda shape: box(shape.size),
    Cylinder: lambda shape: cylinder((0.0, 0.0, 1.0), shape.radius, shape.length, 32),
    Sphere: lambda shape: sphere(shape.radius, 14),
}


def body_shapes(blocks: Sequence[Block], triangles: int) -> list[Look]:
    """Return the meshes of the shapes of each block, none of one without; `triangles` is the most of all files."""
    found = [
        (i, shape, surface)
        for i, block in enumerate(blocks)
        for shape in shapes_of(block)
        if isinstance(shape, MeshOfFile)
        for surface in mesh_file.read_surfaces(block.where, shape.path)
    ]
    counts = [len(surface.faces) for _, _, surface in found]
    sizes = [float(np.linalg.norm(surface.extents * shape.scale)) for _, shape, surface in found]
    given = mesh_file.shares(counts, sizes, triangles)
    looks: list[Look] = [
        [
            (role(block), _placed(PRIMITIVES[type(shape)](shape), shape))
            for shape in shapes_of(block)
            if type(shape) in PRIMITIVES
        ]
        for block in blocks
    ]
    for (i, shape, surface), most in zip(found, given, strict=True):
        if mesh := mesh_file.drawn(surface, most):
            looks[i].append((role(blocks[i]), _placed(_scaled(mesh, shape.scale), shape)))
    return looks


def role(block: Block) -> str:
    """Return the role of a body, which colours shapes without a colour."""
    return "payload" if isinstance(block, Payload) else "link" if isinstance(block, RigidLink) else "body"


def _placed(mesh: Mesh, shape: Any) -> Mesh:
    moved = mesh.moved(shape.position, attitude_matrix(shape.orientation))
    return moved if shape.color is None else replace(moved, color=_rgba(shape.color))


def _rgba(color: Any) -> tuple[float, ...]:
    values = [float(each) for each in (rgb(color) if isinstance(color, str) else color)]
    return (*values, 1.0)[:4]


def _scaled(mesh: Mesh, scale: Any) -> Mesh:
    """Return a mesh with another size; one that is mirrored is turned inside out again."""
    factors = np.broadcast_to(np.asarray(scale, dtype=float), 3)
    normal = mesh.normal / factors
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    triangles = mesh.triangles if np.prod(factors) > 0 else mesh.triangles[:, ::-1]
    return replace(mesh, offset=mesh.offset * factors, normal=normal, triangles=triangles)
