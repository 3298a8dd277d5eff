"""Meshes and poses of everything that moves in a run, for films and models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexblocks.plot.animation.run import Run
from flexblocks.plot.animation.shapes.mesh import Mesh, along, box, circle, cylinder, prism, sphere
from flexblocks.plot.animation.shapes.span import ends
from flexblocks.plot.animation.tracks import exaggerated

COILS, WIRE = 7, 0.22  # of a spring; thickness of its wire in units of its radius


@dataclass(frozen=True, eq=False)
class Solid:
    """A mesh with the poses of its stations over time.

    Attributes
    ----------
    name, role : str
    mesh : Mesh
    R : ndarray (frames, k, 3, 3)
    r : ndarray (frames, k, 3)
    stretch : ndarray (frames,)
        Factor along x, before it is turned; 1 of most.
    """

    name: str
    role: str
    mesh: Mesh
    R: np.ndarray
    r: np.ndarray
    stretch: np.ndarray

    def vertices(self, frame: int) -> np.ndarray:
        """Return the places (v, 3) of the vertices [m]."""
        offset = self.mesh.offset * np.array([self.stretch[frame], 1.0, 1.0])
        R, r = self.R[frame][self.mesh.station], self.r[frame][self.mesh.station]
        return r + np.einsum("vij,vj->vi", R, offset)


def solids(run: Run, factor: float) -> list[Solid]:
    """Return all solids of a run with deflections multiplied by `factor`."""
    posed = exaggerated(run.arm.parts, run.tracks, factor)
    true = exaggerated(run.arm.parts, run.tracks)
    ones = np.ones(len(run.t))
    made = [
        Solid(part.name, role, mesh, *pose, ones)
        for part, pose in zip(run.arm.parts, posed, strict=True)
        for role, mesh in part.look
    ]
    points = carried(run, true, posed)
    for strut in run.struts.struts:
        a, b = ends(points[:, strut.start], points[:, strut.end], strut.span)
        line = b - a
        size = np.linalg.norm(line, axis=1)
        R = np.array([along(each) if length > 0 else np.eye(3) for each, length in zip(line, size, strict=True)])
        stretches = strut.shape in ("rod", "coil")
        made.append(
            Solid(
                strut.name,
                strut.role,
                _mesh(strut.shape, strut.radius),
                R[:, None],
                a[:, None],
                size if stretches else ones,
            )
        )
    return made


def carried(
    run: Run,
    true: Sequence[tuple[np.ndarray, np.ndarray]],
    posed: Sequence[tuple[np.ndarray, np.ndarray]],
) -> np.ndarray:
    """Return the points (frames, k, 3) between which struts are, carried along by the exaggerated stations."""
    points = run.struts.points.copy()
    for i, (part, station) in enumerate(run.struts.places):
        was_R, was_r = (values[:, station] for values in true[part])
        now_R, now_r = (values[:, station] for values in posed[part])
        moved = now_R @ was_R.swapaxes(1, 2)
        points[:, i] = now_r + np.einsum("tij,tj->ti", moved, points[:, i] - was_r)
    return points


def _mesh(shape: str, radius: float) -> Mesh:
    if shape == "ball":
        return sphere(radius)
    if shape == "plate":
        return box((0.02 * radius, 2 * radius, 2 * radius))
    if shape == "coil":
        return _coil(radius)
    return cylinder((1.0, 0.0, 0.0), radius, 1.0, 16).moved((0.5, 0.0, 0.0))


def _coil(radius: float) -> Mesh:
    """Return a coil around x from 0 to 1."""
    steps, sides = 16 * COILS, 6
    s = np.linspace(0.0, 1.0, steps + 1)
    angle = 2 * np.pi * COILS * s
    around = np.column_stack([np.zeros_like(s), np.cos(angle), np.sin(angle)])
    wire = prism([circle(WIRE * radius, sides)] * (steps + 1), range(steps + 1), np.zeros(steps + 1), True)
    # Each ring of the wire lies across the coil: radially and along x.
    radial, x = around[wire.station], np.eye(3)[0]
    center = np.column_stack([s, radius * around[:, 1], radius * around[:, 2]])[wire.station]
    flat = wire.offset[:, 1:2] * radial + wire.offset[:, 2:3] * x * 0.3
    normal = wire.normal[:, 1:2] * radial + wire.normal[:, 2:3] * x
    return Mesh(np.zeros(len(s[wire.station]), dtype=int), center + flat, normal, wire.triangles[:, ::-1])
