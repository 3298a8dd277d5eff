"""Surface of a flexible body for viewers: its triangles, on stations that move with the modes."""

from __future__ import annotations

import numpy as np

from flexblocks.bodies.finite_elements import rigid_motions
from flexblocks.bodies.flexible_body import Surface
from flexblocks.libraries import scipy

# Stations on which vertices ride, and the nodes around each by which it is turned; looks smooth, by trial.
STATIONS, AROUND = 48, 12


def surface(nodes: np.ndarray, triangles: np.ndarray, modes: np.ndarray, stress: np.ndarray | None) -> Surface:
    """Return the surface of nodes (N, 3) [m] and triangles (t, 3) that deforms in modes (3 N, n).

    `stress` (c, 6, n) [Pa] is that of the modes at the first c nodes.
    """
    used, corners = np.unique(triangles, return_inverse=True)
    vertices = nodes[used]
    chosen = _spread(vertices, min(STATIONS, len(vertices)))
    stations = vertices[chosen]
    rides = scipy.spatial.KDTree(stations).query(vertices)[1]
    shapes = modes.reshape(len(nodes), 3, -1)
    around = np.asarray(scipy.spatial.KDTree(nodes).query(stations, min(AROUND, len(nodes)))[1])
    motion = np.array([_rigid_part(nodes, shapes, near, at) for near, at in zip(around, stations, strict=True)])
    at_vertices = None if stress is None else stress[used]
    return Surface(vertices, corners.reshape(triangles.shape), np.asarray(rides), stations, motion, at_vertices)


def _rigid_part(nodes: np.ndarray, shapes: np.ndarray, near: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return shift and turn (6, n) that fit the motion of the nodes near a place."""
    rigid = rigid_motions(nodes[near], at)
    return np.linalg.lstsq(rigid, shapes[near].reshape(len(rigid), -1), rcond=None)[0]


def _spread(points: np.ndarray, count: int) -> np.ndarray:
    """Return the numbers of points that are spread out, each the farthest from those before it."""
    chosen = [int(np.argmin(points.sum(axis=1)))]
    distance = np.linalg.norm(points - points[chosen[0]], axis=1)
    while len(chosen) < count:
        chosen.append(int(np.argmax(distance)))
        distance = np.minimum(distance, np.linalg.norm(points - points[chosen[-1]], axis=1))
    return np.array(chosen)
