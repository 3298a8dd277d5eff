"""Scene: everything in a picture of motions, and the view of it; and the plain data of it that a page reads."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.libraries import scipy
from flexblocks.plot.animation.arm import Arm
from flexblocks.plot.animation.modal_stress import ModalStress
from flexblocks.plot.animation.packing import packed
from flexblocks.plot.animation.run import QUANTITIES, Run
from flexblocks.plot.animation.shapes.mesh import Mesh
from flexblocks.plot.animation.shapes.palette import PATHS, ROLES, RUNS
from flexblocks.plot.animation.tracks import exaggerated

# An arm that leaves a plane by less than this share of its extent is planar.
FLAT = 0.01
BODIES = ("body", "link", "payload")  # roles of what a picture has to show whole


@dataclass(frozen=True, eq=False)
class Scene:
    """Scene.

    Attributes
    ----------
    title : str
    runs : tuple of Run
    up, gravity : ndarray (3,)
        Direction that is drawn upward; acceleration of free fall [m/s2].
    fixtures : list of (name, role, Mesh)
        What stands still in the world: obstacles, via points.
    options : dict
        What the page shows first: ``layout``, ``exaggeration``, ``color``, ``signals``.
    """

    title: str
    runs: tuple[Run, ...]
    up: np.ndarray
    gravity: np.ndarray
    fixtures: list[tuple[str, str, Mesh]]
    options: dict[str, Any]

    @property
    def points(self) -> np.ndarray:
        """Positions (k, 3) [m] of the parts of all runs over time, for the size of the picture."""
        return np.concatenate([track.r for run in self.runs for track in run.tracks] + self._ends)

    @property
    def _ends(self) -> list[np.ndarray]:
        ends = []
        for run in self.runs:
            for part, (_, r) in zip(run.arm.parts, exaggerated(run.arm.parts, run.tracks), strict=True):
                if part.stations:
                    ends.append(r[:, -1])
        return ends

    @property
    def corners(self) -> np.ndarray:
        """Corners (k, 3) [m] of what is drawn of rigid bodies over time, and `points`: all that a picture shows."""
        drawn = [
            (r[:, 0, None] + np.einsum("tij,cj->tci", R[:, 0], mesh.corners)).reshape(-1, 3)
            for run in self.runs
            for part, (R, r) in zip(run.arm.parts, exaggerated(run.arm.parts, run.tracks), strict=True)
            for role, mesh in part.look
            if role in BODIES and not mesh.station.any()
        ]
        return np.concatenate([self.points, *drawn])

    @property
    def view(self) -> np.ndarray:
        """Direction (3,) from the arm to the eye: across the plane of a planar arm, else from the front corner."""
        points = self.points
        spread = np.ptp(points, axis=0)
        flat = [axis for axis in range(3) if spread[axis] < FLAT * np.linalg.norm(spread)]
        up = self.up
        for axis in flat:
            normal = np.eye(3)[axis]
            if axis == 1:
                normal = -normal  # x to the right, z upward
            if abs(normal @ up) > 0.5:  # lying: from above, a little from the front
                return _unit(0.86 * normal * np.sign(normal @ up) - 0.5 * _ahead(up))
            return _unit(normal + 0.12 * up + 0.1 * np.cross(up, normal))
        return _unit(-0.85 * _ahead(up) + 0.45 * np.cross(_ahead(up), up) + 0.5 * up)


def scene_data(scene: Scene) -> dict[str, Any]:
    """Return a scene as plain data for the page."""
    arms = list({id(run.arm): run.arm for run in scene.runs}.values())
    meshes: dict[str, dict[str, Any]] = {}
    return {
        "title": scene.title,
        "up": scene.up.tolist(),
        "gravity": scene.gravity.tolist(),
        "view": scene.view.tolist(),
        "low": scene.corners.min(axis=0).tolist(),
        "high": scene.corners.max(axis=0).tolist(),
        "quantities": QUANTITIES,
        "arms": [_arm(arm, meshes) for arm in arms],
        "runs": [_run(run, next(i for i, arm in enumerate(arms) if arm is run.arm)) for run in scene.runs],
        "fixtures": [{"name": name, "role": role, "mesh": _mesh(mesh, meshes)} for name, role, mesh in scene.fixtures],
        "meshes": meshes,
        "options": scene.options,
        "roles": ROLES,
        "linkColours": RUNS,
        "pathColours": PATHS,
    }


def _arm(arm: Arm, meshes: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {
        "name": arm.name,
        "joint": arm.scale.joint,
        "extent": arm.scale.arm,
        "tip": arm.tip,
        "parts": [
            {
                "name": part.name,
                "kind": part.kind,
                "numbers": part.numbers,
                "parent": part.parent,
                "anchor": part.anchor,
                "stations": part.stations,
                "look": [{"role": role, "color": mesh.color, "mesh": _mesh(mesh, meshes)} for role, mesh in part.look],
            }
            for part in arm.parts
        ],
    }


def _mesh(mesh: Mesh, meshes: dict[str, dict[str, Any]]) -> str:
    """Return the name of a mesh among `meshes`, to which it is added unless it is there: runs share those of an arm."""
    data = {
        "station": packed(mesh.station, "u4"),
        "offset": packed(mesh.offset, "i2"),
        "normal": packed(mesh.normal, "i2"),
        "triangles": packed(mesh.triangles, "u4"),
    }
    name = hashlib.sha256(json.dumps(data).encode()).hexdigest()[:16]
    meshes.setdefault(name, data)
    return name


def _run(run: Run, arm: int) -> dict[str, Any]:
    beams = [track for part, track in zip(run.arm.parts, run.tracks, strict=True) if part.stations]
    signals = run.signals
    return {
        "label": run.label,
        "kind": run.kind,
        "arm": arm,
        "t": packed(run.t - run.t[0], "f4"),
        "start": float(run.t[0]),
        "r": packed(np.stack([track.r for track in run.tracks], axis=1)),
        "q": packed(np.stack([_quaternions(track.R) for track in run.tracks], axis=1)),
        "beams": [
            {"rest": packed(track.rest), "shift": packed(track.shift, "i2"), "turn": packed(track.turn, "i2")}
            for track in beams
        ],
        "points": packed(np.concatenate([run.struts.points, run.forces.points], axis=1)),
        "places": [*run.struts.places, *run.forces.places],
        "struts": [
            {
                "name": strut.name,
                "kind": strut.kind,
                "numbers": strut.numbers,
                "role": strut.role,
                "shape": strut.shape,
                "start": strut.start,
                "end": strut.end,
                "radius": strut.radius,
                "span": strut.span,
            }
            for strut in run.struts.struts
        ],
        "frames": [
            {"name": each.name, "place": each.place, "r": each.r.tolist(), "q": _quaternions(each.R[None])[0].tolist()}
            for each in run.frames
        ],
        "forces": [
            {
                "name": force.name,
                "kind": force.kind,
                "unit": force.unit,
                "point": force.point,
                "values": packed(force.values, "i2"),
            }
            for force in run.forces.forces
        ],
        "colours": {quantity: [_colors(each) for each in values] for quantity, values in run.colors.items()},
        "signals": {
            "names": signals.names,
            "units": signals.units,
            "groups": signals.groups,
            "values": [packed(column, "i2") for column in signals.values.T],
            "limits": {name: [_finite(bound) for bound in limit] for name, limit in signals.limits.items()},
        },
    }


def _colors(values: np.ndarray | ModalStress | None) -> dict[str, Any] | None:
    if values is None or isinstance(values, np.ndarray):
        return None if values is None else packed(values, "u1")
    return {
        "amplitudes": packed(values.amplitudes, "f4"),
        "modal": packed(values.modal.transpose(1, 2, 0).reshape(-1, len(values.modal)), "i2"),
        "largest": values.largest,
    }


def _quaternions(R: np.ndarray) -> np.ndarray:
    """Return quaternions (frames, 4), x y z w, without jumps of sign."""
    q = scipy.spatial.transform.Rotation.from_matrix(R).as_quat()
    flips = np.cumprod(np.where(np.sum(q[1:] * q[:-1], axis=1) < 0, -1.0, 1.0))
    q[1:] *= flips[:, None]
    return q


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _ahead(up: np.ndarray) -> np.ndarray:
    """Return the level direction (3,) away from the eye: x is to its right where it can be."""
    right = np.eye(3)[0] if abs(up[0]) < 0.9 else np.eye(3)[1]
    return _unit(np.cross(up, right))


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)
