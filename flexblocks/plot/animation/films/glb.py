"""Binary glTF 2.0 of a scene: meshes with skins that bend, animated; opens in Blender, in slides and in browsers."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexblocks.libraries import scipy
from flexblocks.plot.animation.films.solids import Solid, solids
from flexblocks.plot.animation.run import Run
from flexblocks.plot.animation.scene import Scene
from flexblocks.plot.animation.shapes.mesh import Mesh
from flexblocks.plot.animation.shapes.palette import ROLES, link_color, rgb

FLOAT, UINT, USHORT = 5126, 5125, 5123  # component types of glTF
TYPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
SECONDS_OF_MODE = 2.0


@dataclass
class _Writer:
    """The document and its one buffer, as they grow."""

    document: dict[str, Any] = field(default_factory=dict)
    chunks: list[bytes] = field(default_factory=list)
    size: int = 0

    def add(self, group: str, entry: dict[str, Any]) -> int:
        """Append an entry to a list of the document and return its number."""
        entries = self.document.setdefault(group, [])
        entries.append(entry)
        return len(entries) - 1

    def accessor(self, values: np.ndarray, component: int = FLOAT, bounds: bool = False) -> int:
        """Append numbers (n,) or (n, k) to the buffer and return the number of their accessor."""
        kind = {FLOAT: "<f4", UINT: "<u4", USHORT: "<u2"}[component]
        array = np.ascontiguousarray(values, dtype=kind)
        data = array.tobytes()
        view = self.add("bufferViews", {"buffer": 0, "byteOffset": self.size, "byteLength": len(data)})
        padding = -len(data) % 4
        self.chunks.append(data + bytes(padding))
        self.size += len(data) + padding
        width = array.shape[1] if array.ndim > 1 else 1
        entry = {"bufferView": view, "componentType": component, "count": len(array), "type": TYPES[width]}
        if bounds:
            flat = array.reshape(len(array), width)
            entry |= {"min": flat.min(axis=0).tolist(), "max": flat.max(axis=0).tolist()}
        return self.add("accessors", entry)


def binary(scene: Scene) -> bytes:
    """Return the scene as a ``.glb`` file; of modes, which play one at a time, the first."""
    writer = _Writer({"asset": {"version": "2.0", "generator": "flexblocks"}})
    runs = scene.runs[:1] if scene.options.get("layout") == "single" else scene.runs
    root = writer.add("nodes", {"name": scene.title, "rotation": _upright(scene.up), "children": []})
    children = writer.document["nodes"][root]["children"]
    animation: dict[str, Any] = {"name": scene.title, "samplers": [], "channels": []}
    for number, run in enumerate(runs):
        children += _run(writer, animation, run, number, float(scene.options.get("exaggeration", 1.0)))
    for name, role, mesh in scene.fixtures:
        children.append(
            writer.add("nodes", {"name": name, "mesh": _mesh(writer, name, mesh, _material(writer, role, 0, mesh))})
        )
    if animation["channels"]:
        writer.document["animations"] = [animation]
    writer.document |= {"scene": 0, "scenes": [{"nodes": [root]}], "buffers": [{"byteLength": writer.size}]}
    text = json.dumps(writer.document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    data = b"".join(writer.chunks)
    whole = 12 + 8 + len(text) + 8 + len(data)
    return b"".join(
        [
            struct.pack("<4sII", b"glTF", 2, whole),
            struct.pack("<I4s", len(text), b"JSON"),
            text,
            struct.pack("<I4s", len(data), b"BIN\0"),
            data,
        ]
    )


def _run(writer: _Writer, animation: dict[str, Any], run: Run, number: int, factor: float) -> list[int]:
    """Append a run and return its nodes below the root."""
    times = (run.t - run.t[0]) * (SECONDS_OF_MODE if run.kind == "mode" else 1.0)
    clock = writer.accessor(times, bounds=True)
    nodes: list[int] = []
    for solid in solids(run, factor):
        label = f"{solid.name} {solid.role}"
        mesh = _mesh(
            writer, label, solid.mesh, _material(writer, solid.role, number, solid.mesh), skinned=solid.R.shape[1] > 1
        )
        if solid.R.shape[1] == 1:
            node = _node(writer, solid, 0, {"name": label, "mesh": mesh})
            _animate(writer, animation, clock, node, solid, 0)
            nodes.append(node)
            continue
        joints = [_node(writer, solid, k, {"name": f"{label} {k}"}) for k in range(solid.R.shape[1])]
        for k, node in enumerate(joints):
            _animate(writer, animation, clock, node, solid, k)
        inverse = writer.accessor(np.tile(np.eye(4).ravel(), (len(joints), 1)))
        skin = writer.add("skins", {"joints": joints, "inverseBindMatrices": inverse})
        nodes += [*joints, writer.add("nodes", {"name": label, "mesh": mesh, "skin": skin})]
    return nodes


def _node(writer: _Writer, solid: Solid, k: int, entry: dict[str, Any]) -> int:
    pose = {
        "translation": solid.r[0, k].tolist(),
        "rotation": scipy.spatial.transform.Rotation.from_matrix(solid.R[0, k]).as_quat().tolist(),
    }
    if np.any(solid.stretch != 1.0):
        pose["scale"] = [float(solid.stretch[0]), 1.0, 1.0]
    return writer.add("nodes", entry | pose)


def _animate(writer: _Writer, animation: dict[str, Any], clock: int, node: int, solid: Solid, k: int) -> None:
    """Append the motion of a node; what stands still needs none."""
    if len(solid.r) < 2:
        return
    turns = scipy.spatial.transform.Rotation.from_matrix(solid.R[:, k]).as_quat()
    turns[1:] *= np.cumprod(np.where(np.sum(turns[1:] * turns[:-1], axis=1) < 0, -1.0, 1.0))[:, None]
    scale = np.column_stack([solid.stretch, np.ones((len(turns), 2))])
    for path, values in (("translation", solid.r[:, k]), ("rotation", turns), ("scale", scale)):
        if np.ptp(values, axis=0).max() > 0:
            sampler = {"input": clock, "output": writer.accessor(values), "interpolation": "LINEAR"}
            animation["samplers"].append(sampler)
            target = {"node": node, "path": path}
            animation["channels"].append({"sampler": len(animation["samplers"]) - 1, "target": target})


def _mesh(writer: _Writer, name: str, mesh: Mesh, material: int, skinned: bool = False) -> int:
    attributes = {"POSITION": writer.accessor(mesh.offset, bounds=True), "NORMAL": writer.accessor(mesh.normal)}
    if skinned:
        joints = np.zeros((len(mesh.station), 4))
        joints[:, 0] = mesh.station
        weights = np.tile([1.0, 0.0, 0.0, 0.0], (len(mesh.station), 1))
        attributes |= {"JOINTS_0": writer.accessor(joints, USHORT), "WEIGHTS_0": writer.accessor(weights)}
    primitive = {
        "attributes": attributes,
        "indices": writer.accessor(mesh.triangles.ravel(), UINT),
        "material": material,
    }
    return writer.add("meshes", {"name": name, "primitives": [primitive]})


def _material(writer: _Writer, role: str, run: int, mesh: Mesh) -> int:
    """Return the number of the material of a role, or of a mesh with its own colour; links of each run have theirs."""
    name = f"{role} {run + 1}" if role == "link" and run else role
    if mesh.color is not None:
        name = f"{role} {mesh.color}"
    for number, known in enumerate(writer.document.get("materials", [])):
        if known["name"] == name:
            return number
    color, metal, rough, opacity = ROLES[role]
    plain = rgb(link_color(run) if role == "link" else color)
    if mesh.color is not None:
        plain, opacity = np.array(mesh.color[:3]), mesh.color[3]
    linear = (plain**2.2).tolist()
    surface = {"baseColorFactor": [*linear, opacity], "metallicFactor": metal, "roughnessFactor": rough}
    entry: dict[str, Any] = {"name": name, "pbrMetallicRoughness": surface, "doubleSided": opacity < 1}
    return writer.add("materials", entry | ({"alphaMode": "BLEND"} if opacity < 1 else {}))


def _upright(up: np.ndarray) -> list[float]:
    """Return the rotation that turns `up` into glTF's y."""
    turn, *_ = scipy.spatial.transform.Rotation.align_vectors([[0.0, 1.0, 0.0]], [up])
    return turn.as_quat().tolist()
