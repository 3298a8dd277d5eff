"""Meshes of files, STL, OBJ, Collada or glTF, as they are drawn: in metres, shaded smoothly, with few triangles."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from flexblocks.errors import FileFormatError, failure, listing
from flexblocks.files import readable_file
from flexblocks.libraries import optional
from flexblocks.plot.animation.shapes.decimation import decimated
from flexblocks.plot.animation.shapes.mesh import Mesh
from flexblocks.plot.animation.shapes.side_files import MOST_BYTES, SideFiles
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import MESH_ELSEWHERE

SUFFIXES = (".stl", ".obj", ".dae", ".gltf", ".glb")
# Edges that turn by more are sharp [rad]; by trial.
SHARP = 0.6
# Colours of the faces of one surface; one that has more, or shades of them, is drawn in its most frequent one.
MOST_COLORS = 32


def read_surfaces(where: str, path: str) -> tuple[Any, ...]:
    """Return the surfaces in a file, trimesh's, in metres, one for each of its materials.

    Raises
    ------
    FileFormatError
        There is no such file, it is larger than 200 MB, or it cannot be read; `where` is the body that it belongs to.
    MissingExtraError
        A library is missing.

    Warns
    -----
    FlexblocksWarning
        It names a file that is not beside it, which is not read.
    """
    try:
        file = readable_file(path)
    except FileFormatError as error:
        raise FileFormatError(f"{where}: shape: {error}") from None
    if file.suffix.lower() not in SUFFIXES:
        raise FileFormatError(f"{where}: shape: {path}: must end in one of {listing(SUFFIXES)}.")
    size = file.stat().st_size
    if size > MOST_BYTES:
        raise FileFormatError(
            f"{where}: shape: {path}: has {size / 1e6:.0f} MB; must have at most {MOST_BYTES / 1e6:.0f}. Decimate it."
        )
    for library in ("trimesh", *(("collada",) if file.suffix.lower() == ".dae" else ())):
        optional(library, f"{where}: drawing {path}")
    try:
        surfaces, elsewhere = _surfaces(file, file.stat().st_mtime_ns)
    except Exception as error:  # whatever the readers of five formats run into
        raise FileFormatError(f"{where}: shape: {path}: cannot be read: {failure(error)}.") from None
    if not surfaces:
        raise FileFormatError(f"{where}: shape: {path}: has no triangles.")
    for name in elsewhere:
        warn(
            f"{where}: shape: {path} names the file {name}, which is neither in its folder nor in one beside it; it is "
            "not read. Copy it there, and name it relative to the mesh.",
            MESH_ELSEWHERE,
        )
    return surfaces


@lru_cache(maxsize=64)
def _surfaces(file: Path, changed: int) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """Return the surfaces in a file, and the names in it that lead to files elsewhere."""
    del changed
    trimesh = optional("trimesh", "plot.animate")
    beside = SideFiles(file)
    with file.open("rb") as stream:
        scene = trimesh.load(stream, file_type=file.suffix[1:].lower(), resolver=beside, force="scene")
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
            found += _by_color(surface.copy().apply_transform(pose).apply_scale(unit))
    return tuple(found), tuple(dict.fromkeys(beside.refused))


def _by_color(surface: Any) -> list[Any]:
    """Return the parts of a surface whose faces have a colour each, or itself."""
    trimesh = optional("trimesh", "plot.animate")
    visual = surface.visual
    if not visual.defined or visual.kind not in ("face", "vertex"):
        return [surface]
    of_corners = visual.vertex_colors[surface.faces] if visual.kind == "vertex" else visual.face_colors[:, None]
    colors, of_face = np.unique(of_corners[:, 0], axis=0, return_inverse=True)
    if len(colors) > MOST_COLORS or np.any(of_corners != of_corners[:, :1]):
        return [surface]
    parts = [(surface.faces[of_face.reshape(-1) == i], color) for i, color in enumerate(colors)]
    return [
        trimesh.Trimesh(surface.vertices, faces, face_colors=np.tile(color, (len(faces), 1))) for faces, color in parts
    ]


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
def drawn(surface: Any, triangles: int) -> Mesh | None:
    """Return a surface with at most as many triangles, as it is drawn; None where they are too few."""
    trimesh = optional("trimesh", "plot.animate")
    color = _color(surface)
    if len(surface.faces) > triangles:
        surface = decimated(surface, triangles)
    if not len(surface.faces):
        return None
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
