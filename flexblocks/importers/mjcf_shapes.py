"""Shapes of the bodies of MuJoCo's compiled model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from flexblocks.importers.description import Pose
from flexblocks.importers.mesh_roots import MeshRoots
from flexblocks.importers.mujoco_values import is_one_of, pose_of
from flexblocks.shapes import Cuboid, Cylinder, Mesh, Sphere
from flexblocks.shapes.shape import Shape


class MujocoShapes:
    """The shapes of a compiled model `m`; `leave` receives what kind of shape is left out, and where."""

    def __init__(self, mujoco: Any, m: Any, roots: MeshRoots, leave: Callable[[str, str], None]) -> None:
        self.mujoco, self.m, self.roots, self.leave = mujoco, m, roots, leave

    def of_bodies(self, bodies: list[str]) -> list[tuple[Shape, ...]]:
        """Return the shapes of each body: those that touch nothing, made to be seen, if it has some."""
        m = self.m
        seen: list[list[int]] = [[] for _ in bodies]
        solid: list[list[int]] = [[] for _ in bodies]
        for g in range(m.ngeom):
            touches = m.geom_contype[g] or m.geom_conaffinity[g]
            (solid if touches else seen)[m.geom_bodyid[g]].append(g)
        return [
            tuple(shape for g in (seen[b] or solid[b]) for shape in self._shape(g, bodies[b])) for b in range(m.nbody)
        ]

    def _shape(self, g: int, body: str) -> list[Shape]:
        m, kinds = self.m, self.mujoco.mjtGeom
        pose, size, kind = pose_of(m.geom_pos[g], m.geom_quat[g]), m.geom_size[g], m.geom_type[g]
        material = m.geom_matid[g]
        rgba = m.mat_rgba[material] if material >= 0 else m.geom_rgba[g]
        color = tuple(float(each) for each in np.clip(rgba, 0, 1))

        def placed(at: Pose) -> dict[str, Any]:
            return {"position": tuple(map(float, at.position)), "orientation": at.rotation, "color": color}

        if is_one_of(kind, kinds.mjGEOM_BOX):
            return [Cuboid(tuple(map(float, 2 * size)), **placed(pose))]
        if is_one_of(kind, kinds.mjGEOM_SPHERE):
            return [Sphere(float(size[0]), **placed(pose))]
        if is_one_of(kind, kinds.mjGEOM_CYLINDER):
            return [Cylinder(float(size[0]), float(2 * size[1]), **placed(pose))]
        if is_one_of(kind, kinds.mjGEOM_CAPSULE):
            ends = [pose @ Pose(np.array([0.0, 0.0, sign * size[1]])) for sign in (-1, 1)]
            caps = [Sphere(float(size[0]), **placed(end)) for end in ends]
            return [Cylinder(float(size[0]), float(2 * size[1]), **placed(pose)), *caps]
        if is_one_of(kind, kinds.mjGEOM_MESH):
            return self._mesh(int(m.geom_dataid[g]), pose, body, placed)
        self.leave("shapes of other kinds", f"{kinds(int(kind)).name.removeprefix('mjGEOM_').lower()} of '{body}'")
        return []

    def _mesh(self, mesh: int, pose: Pose, body: str, placed: Any) -> list[Shape]:
        """Return a mesh by its file; MuJoCo has moved its vertices to their centre of mass."""
        m = self.m
        start = int(m.mesh_pathadr[mesh])
        text = "" if start < 0 else bytes(m.paths)[start:].split(b"\0", 1)[0].decode(errors="replace")
        file, reason = self.roots.find(text) if text else (None, "is written into the file")
        if file is None:
            self.leave("meshes", f"{text or f'mesh{mesh}'} of '{body}' ({reason})")
            return []
        at = pose @ pose_of(m.mesh_pos[mesh], m.mesh_quat[mesh]).inverse
        return [Mesh(str(file), tuple(map(float, m.mesh_scale[mesh])), **placed(at))]
