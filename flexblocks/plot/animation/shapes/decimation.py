"""Surfaces with fewer triangles, closed where they were closed."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexblocks.libraries import optional

LEAST = 4  # triangles that close a surface
HALVINGS = 12  # of the interval in which the finest grid lies: cells along it are known to a few per cent


def decimated(surface: Any, triangles: int) -> Any:
    """Return a surface, trimesh's, with at most as many triangles; with none where they are too few for its form.

    Edges are collapsed where that changes the surface least. This stops where every further one spoils it, as of many
    small parts; vertices that share a cell of a grid then become one.
    """
    trimesh = optional("trimesh", "plot.animate")
    optional("fast_simplification", "plot.animate: drawing meshes of more triangles than are kept")
    plain = trimesh.Trimesh(surface.vertices, surface.faces)  # vertices of STL, three a triangle, are merged
    plain.merge_vertices(merge_tex=True, merge_norm=True)
    if len(plain.faces) > triangles >= LEAST:
        plain = plain.simplify_quadric_decimation(face_count=triangles)
    if len(plain.faces) <= triangles:
        return plain
    if triangles < LEAST:
        return trimesh.Trimesh()
    return trimesh.Trimesh(*_clustered(np.array(plain.vertices), np.array(plain.faces), triangles), process=False)


def _clustered(vertices: np.ndarray, faces: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices and faces with one vertex a cell, on the finest grid that leaves at most `most` faces."""
    best, fine, coarse = (np.zeros((0, 3)), np.zeros((0, 3), dtype=int)), float(len(vertices)), 1.0
    for _ in range(HALVINGS):
        cells = np.sqrt(fine * coarse)
        tried = _on_grid(vertices, faces, cells)
        if len(tried[1]) <= most:
            best, coarse = tried, cells
        else:
            fine = cells
    return best


def _on_grid(vertices: np.ndarray, faces: np.ndarray, cells: float) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices and faces with one vertex, the mean, a cell of a grid with `cells` along its longest side."""
    low, size = vertices.min(axis=0), float(np.ptp(vertices, axis=0).max()) or 1.0
    _, cell, count = np.unique(
        np.floor((vertices - low) / size * cells), axis=0, return_inverse=True, return_counts=True
    )
    cell = cell.reshape(-1)
    merged = cell[faces]
    merged = merged[(merged != np.roll(merged, 1, axis=1)).all(axis=1)]
    # Each once, from its least number on; the two sides of what has become flat both stay.
    turned = (merged.argmin(axis=1)[:, None] + np.arange(3)) % 3 if len(merged) else merged
    merged = np.unique(np.take_along_axis(merged, turned, axis=1), axis=0)
    means = np.stack([np.bincount(cell, vertices[:, axis]) for axis in range(3)], axis=1) / count[:, None]
    return means, merged
