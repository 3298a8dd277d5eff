"""Meshes of files, STL, OBJ, Collada or glTF, as they are drawn: in metres, shaded smoothly, with few triangles."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from flexblocks.errors import FileFormatError, failure, listing
from flexblocks.file_paths import readable_file
from flexblocks.libraries import optional
from flexblocks.plot.animation.shapes.mesh import Mesh

SUFFIXES = (".stl", ".obj", ".dae", ".gltf", ".glb")
# Edges that turn by more are sharp [rad]; by trial.
SHARP = 0.6


def read_surfaces(where: str, path: str) -> tuple[Any, ...]:
    """Return the surfaces in a file, trimesh's, in metres, one for each of its materials.

    Raises
    ------
    FileFormatError
        There is no such file, or it cannot be read; `where` is the body that it belongs to.
    MissingExtraError
        A library is missing.
    """
    try:
        file = readable_file(path)
    except FileFormatError as error:
        raise FileFormatError(f"{where}: shape: {error}") from None
    if file.suffix.lower() not in SUFFIXES:
        raise FileFormatError(f"{where}: shape: {path}: must end in one of {listing(SUFFIXES)}.")
    for library in ("trimesh", *(("collada",) if file.suffix.lower() == ".dae" else ())):
        optional(library, f"{where}: drawing {path}")
    try:
        surfaces = _surfaces(file, file.stat().st_mtime_ns)
    except Exception as error:  # whatever the readers of five formats run into
        raise FileFormatError(f"{where}: shape: {path}: cannot be read: {failure(error)}.") from None
    if not surfaces:
        raise FileFormatError(f"{where}: shape: {path}: has no triangles.")
    return surfaces


@lru_cache(maxsize=64)
def _surfaces(file: Path, changed: int) -> tuple[Any, ...]:
    del changed
    trimesh = optional("trimesh", "plot.animate")
    scene = trimesh.load(file, force="scene")
    stated = str(scene.units or "").partition(" * meters")[0]
    try:
        unit = float(stated)
    except ValueError:  # none, or meters
        unit = 1.0
    found = []
    for node in scene.graph.nodes_geometry:
        pose, name = scene.graph[node]
        surface = scene.geometry[name]
        if isinstance(surface, trimesh.Trimesh) and len(surface.faces):
            found.append(surface.copy().apply_transform(pose).apply_scale(unit))
    return tuple(found)


def shares(counts: Sequence[int], sizes: Sequence[float], most: int) -> list[int]:
    """Return how many of `most` triangles each surface gets: by its size, but no more than it has."""
    given, open_ = list(counts), set(range(len(counts)))
    left = most
    while open_ and sum(counts[i] for i in open_) > left:
        whole = sum(sizes[i] for i in open_)
        part = {i: int(left * sizes[i] / whole) if whole > 0 else left // len(open_) for i in open_}
        small = {i for i in open_ if counts[i] <= part[i]}
        if not small:
            for i in open_:
                given[i] = part[i]
            break
        left -= sum(counts[i] for i in small)
        open_ -= small
    return given


@lru_cache(maxsize=64)
def drawn(surface: Any, triangles: int) -> Mesh:
    """Return a surface with at most as many triangles, as it is drawn."""
    trimesh = optional("trimesh", "plot.animate")
    color = _color(surface)
    if len(surface.faces) > triangles:
        optional("fast_simplification", "plot.animate: drawing meshes of more triangles than are kept")
        plain = trimesh.Trimesh(surface.vertices, surface.faces)  # vertices of STL, three a triangle, are merged
        plain.merge_vertices(merge_tex=True, merge_norm=True)
        plain = plain.simplify_quadric_decimation(face_count=max(triangles, 4))
        # It stops short of the number where every further edge spoils the surface.
        faces = plain.faces if len(plain.faces) <= triangles else plain.faces[np.argsort(-plain.area_faces)[:triangles]]
        surface = trimesh.Trimesh(plain.vertices, faces)
    shaded = trimesh.graph.smooth_shade(surface, angle=SHARP)
    vertices = np.array(shaded.vertices)
    faces = np.array(shaded.faces)
    # In the order in which triangles use them, numbers of vertices differ little and are packed well.
    _, first, inverse = np.unique(faces.ravel(), return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=int)
    order = np.argsort(first)
    rank[order] = np.arange(len(first))
    kept = faces.ravel()[np.sort(first)]
    normals = np.array(shaded.vertex_normals)[kept]
    return Mesh(np.zeros(len(kept), dtype=int), vertices[kept], normals, rank[inverse].reshape(-1, 3), color)


def _color(surface: Any) -> tuple[float, ...] | None:
    """Return the colour of the material of a surface, if the file has one."""
    visual = surface.visual
    if not visual.defined:
        return None
    value = visual.material.main_color if hasattr(visual, "material") else visual.main_color
    return tuple(float(each) / 255 for each in value[:4])
