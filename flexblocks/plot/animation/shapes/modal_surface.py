"""Surface of a flexible body, whose vertices ride on stations that move with its modes."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexblocks.libraries import optional, scipy
from flexblocks.plot.animation.shapes.decimation import decimated
from flexblocks.plot.animation.shapes.mesh import Mesh

# Faces that meet at a smaller angle are one smooth surface; by trial.
SMOOTH = np.cos(np.radians(40.0))


def modal_surface(surface: Any, most: int) -> Mesh:
    """Return the mesh of a `flexblocks.bodies.flexible_body.Surface` with at most as many triangles.

    Station 0 is the inlet; vertices are in its axes, undeformed.
    """
    vertices, triangles, rides = surface.vertices, surface.triangles, np.asarray(surface.rides)
    source = np.arange(len(vertices))
    if len(triangles) > most:
        fewer = decimated(optional("trimesh", "plot.animate").Trimesh(vertices, triangles), most)
        vertices, triangles = np.array(fewer.vertices), np.array(fewer.faces)
        rides = np.asarray(scipy.spatial.KDTree(surface.stations).query(vertices)[1])
        source = np.asarray(scipy.spatial.KDTree(surface.vertices).query(vertices)[1])
    corners = vertices[triangles]
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal = _corner_normals(flat, triangles, len(vertices))
    # Corners of one vertex with one normal are one.
    keys = np.column_stack([triangles.ravel(), np.round(1e3 * normal)]).astype(int)
    _, first, number = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    vertex = triangles.ravel()[first]
    faces = number.reshape(triangles.shape)
    return Mesh(rides[vertex] + 1, vertices[vertex], normal[first], faces, source=source[vertex])


def _corner_normals(flat: np.ndarray, triangles: np.ndarray, count: int) -> np.ndarray:
    """Return the unit normal (3 t, 3) of each corner of triangles, a mean over the smooth surface around it."""
    size = np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), np.finfo(float).tiny)
    unit = flat / size
    of_corner = np.repeat(np.arange(len(triangles)), 3)
    at = scipy.sparse.csr_matrix((np.ones(triangles.size), (of_corner, triangles.ravel())), (len(triangles), count))
    near = (at @ at.T).tocoo()  # triangles that share a vertex
    smooth = np.sum(unit[near.row] * unit[near.col], axis=1) > SMOOTH
    row, other = near.row[smooth], near.col[smooth]
    total = np.zeros((len(triangles), 3, 3))
    for corner in range(3):
        vertex = triangles[row, corner]
        meets = (triangles[other] == vertex[:, None]).any(axis=1)
        np.add.at(total[:, corner], row[meets], flat[other[meets]])
    total = total.reshape(-1, 3)
    return total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), np.finfo(float).tiny)
