"""What is drawn of an arm, whatever its motion: a part for each block, struts between them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np

from flexblocks.beam import Discretization, Material, Section
from flexblocks.blocks.bodies.ground import Ground
from flexblocks.blocks.bodies.stations import HasStations
from flexblocks.blocks.joints.free_motion import FreeMotion
from flexblocks.blocks.joints.joint import Joint
from flexblocks.blocks.joints.prismatic import Prismatic
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.frame_motions import placed
from flexblocks.dynamics.evaluation.body import Body
from flexblocks.interfaces.parameters import argument_name
from flexblocks.plot.animation.poses import STATIONS, BodyPoses, bends, stations_of, surface_of
from flexblocks.plot.animation.shapes.body_shapes import body_shapes
from flexblocks.plot.animation.shapes.looks import Look, Scale, ground, look, motor
from flexblocks.plot.animation.shapes.modal_surface import modal_surface
from flexblocks.plot.animation.shapes.sections import beam_mesh, beam_radius

# Radius of joints: of the beams' thickness, and within these shares of the arm's extent; by trial.
THICKER, THIN, THICK = 1.5, 0.010, 0.026
# A strut shorter than this share of a joint's radius is hidden by the joint.
HIDDEN = 0.5

# A place on the arm: a part, and which of its stations.
Place = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Part:
    """A block with a place in space.

    Attributes
    ----------
    name, kind : str
        Of the block, and its type.
    numbers : tuple of (str, str)
        Its parameters, each with its value and unit as text.
    parent : int
        The part that carries it; -1 of the ground.
    anchor : int
        The parent's station that carries it.
    stations : int
        Stations besides the inlet: 0 of a part that does not bend.
    look : list of (role, Mesh)
    """

    name: str
    kind: str
    numbers: tuple[tuple[str, str], ...]
    parent: int
    anchor: int
    stations: int
    look: Look


@dataclass(frozen=True, eq=False)
class Strut:
    """Something straight between two points: a rod, a cylinder's barrel, a rope, a spring; or a ball or plate at one.

    Attributes
    ----------
    name, kind : str
    numbers : tuple of (str, str)
    role : str
        What it is, for its colour.
    shape : "rod", "coil", "ball" or "plate"
        A plate is square, across the line from `start` to `end`.
    start, end : int
        Numbers of the points.
    radius : float
        [m]
    span : (float, float)
        The part of the line that it takes up; a second number above 1 is a length [m] plus 10.
    """

    name: str
    kind: str
    numbers: tuple[tuple[str, str], ...]
    role: str
    shape: str
    start: int
    end: int
    radius: float
    span: tuple[float, float] = (0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Arm:
    """Everything that is drawn of an arm: its parts, and sizes of what has none of its own."""

    name: str
    parts: tuple[Part, ...]
    rods: tuple[tuple[int, int], ...]
    scale: Scale
    tip: int


def arm_parts(dae: DAE, poses: list[BodyPoses], up: np.ndarray, triangles: int) -> Arm:
    """Return the parts of an arm; `poses` are those of its motion, for the sizes of what has none.

    Meshes of files have at most `triangles`.
    """
    bodies = placed(dae.tree)
    number = {body.name: i for i, body in enumerate(bodies)}
    lengths = [_length(each) for each in poses]
    start = np.concatenate([each.r[0] for each in poses])
    extent = float(np.linalg.norm(np.ptp(start, axis=0))) or max([*lengths, 1.0])
    thick = [beam_radius(b.block, length) for b, length in zip(bodies, lengths, strict=True) if bends(b) and length > 0]
    joint = float(np.clip(THICKER * float(np.median(thick)) if thick else 0.0, THIN * extent, THICK * extent))
    scale = Scale(joint, extent)
    parts, rods = [], []
    shapes = body_shapes([body.block for body in bodies], triangles)
    links = _links(dae, bodies, number)
    surfaces = [surface_of(body) for body in bodies]
    shaped = {link for i, link in enumerate(links) if shapes[i] or surfaces[i]}
    share = triangles // max(sum(surface is not None for surface in surfaces), 1)
    beside = _unmounted_rotors(dae, bodies)
    for i, (body, length) in enumerate(zip(bodies, lengths, strict=True)):
        parent = -1 if body.parent is None else number[dae.tree.bodies[body.parent].name]
        anchor = station_of(bodies[parent], body.outlet or "") if parent >= 0 else 0
        if shapes[i]:
            shown = shapes[i]
        elif bends(body):
            shown: Look = [("link", beam_mesh(body.block, length, STATIONS))]
        elif (surface := surfaces[i]) is not None:
            shown = [("link", modal_surface(surface, share))]
        elif isinstance(body.block, Ground):
            shown = ground(up, scale) if _stands(bodies, number, dae, i) else []
        elif _is_table(dae, bodies, number, i):
            shown = []
        else:
            shown = look(body.block, scale) + (
                motor(body.block.direction, scale) if body.name in beside and isinstance(body.block, Joint) else []
            )
        parts.append(
            Part(
                body.name,
                type(body.block).__name__,
                numbers(body.block),
                parent,
                anchor,
                STATIONS if bends(body) else len(stations_of(body)),
                shown,
            )
        )
        if parent >= 0 and not bends(bodies[parent]) and not isinstance(bodies[parent].block, FreeMotion):
            gap = np.linalg.norm(poses[i].r[:, 0] - poses[parent].r[:, 0], axis=1).max()
            if links[parent] not in shaped and gap > HIDDEN * joint and not _is_table(dae, bodies, number, parent):
                rods.append((parent, i))
    return Arm(dae.name, tuple(parts), tuple(rods), scale, _tip(bodies, number, dae))


def _links(dae: DAE, bodies: list[Body], number: dict[str, int]) -> list[int]:
    """Return for each body which of all is the first of its link: what is joined rigidly, from a joint on."""
    first: list[int] = []
    for i, body in enumerate(bodies):
        if body.parent is None or body.block.coordinates():
            first.append(i)
        else:
            first.append(first[number[dae.tree.bodies[body.parent].name]])
    return first


def station_of(body: Body, outlet: str) -> int:
    """Return the station of a body that is nearest to one of its frames."""
    block: Any = body.block
    if (surface := surface_of(body)) is not None and outlet in block.body.names[1:]:
        point = block.body.points[block.body.names.index(outlet)]
        return 1 + int(np.argmin(np.linalg.norm(surface.stations - point, axis=1)))
    if not bends(body) or outlet == "frame_a":
        return 0
    share = body.block.fraction(outlet) if isinstance(body.block, HasStations) else 1.0
    return round(share * STATIONS)


def numbers(block: Any) -> tuple[tuple[str, str], ...]:
    """Return the parameters of a block with values and units, as text; those at their default zero are left out."""
    shown = []
    for field in dataclasses.fields(block):
        value = getattr(block.nominal, field.name)
        quantity = field.metadata.get("quantity")
        if isinstance(value, (Discretization, Material, Section)):
            shown.append((field.name, repr(value)))
        elif (
            quantity is not None
            and value is not None
            and not callable(value)
            and np.any(np.asarray(_plain(value)) != 0)
        ):
            unit = f" {quantity.unit}" if quantity.unit not in ("", "1") else ""
            shown.append((argument_name(field), f"{_text(value)}{unit}"))
    return tuple(shown)


def _plain(value: Any) -> Any:
    return value if isinstance(value, (int, float)) else 1


def _text(value: Any) -> str:
    if isinstance(value, (int, float)):
        return f"{value:.6g}"
    array = np.array(value, dtype=object)
    if array.dtype == object and not all(isinstance(v, (int, float)) for v in array.ravel()):
        return "varies along it"
    entries = array.astype(float)
    if entries.ndim == 2 and entries.shape[0] == entries.shape[1]:
        return "diag(" + ", ".join(f"{v:.4g}" for v in np.diag(entries)) + ")"
    return "(" + ", ".join(f"{v:.4g}" for v in entries.ravel()) + ")" if entries.size <= 6 else "varies along it"


def _length(poses: BodyPoses) -> float:
    """Return the largest distance of the ends of a body during its motion [m]."""
    return float(np.linalg.norm(poses.r[:, -1] - poses.r[:, 0], axis=1).max(initial=0.0))


def _stands(bodies: list[Body], number: dict[str, int], dae: DAE, i: int) -> bool:
    """Whether something stands on the ground, instead of floating free of it."""
    on = [b for b in bodies if b.parent is not None and number[dae.tree.bodies[b.parent].name] == i]
    return any(not isinstance(b.block, (FreeMotion, Prismatic)) for b in on) or not on


def _is_table(dae: DAE, bodies: list[Body], number: dict[str, int], i: int) -> bool:
    """Whether a slide is one of several in series, which stand for a free motion and are not seen."""
    if not isinstance(bodies[i].block, Prismatic):
        return False
    parent = bodies[i].parent
    near = [] if parent is None else [dae.tree.bodies[parent]]
    near += [b for b in bodies if b.parent is not None and number[dae.tree.bodies[b.parent].name] == i]
    return any(isinstance(b.block, Prismatic) for b in near)


def _unmounted_rotors(dae: DAE, bodies: list[Body]) -> set[str]:
    """Return the names of the joints that rotors without a mount turn: the nearest in the graph of blocks."""
    if dae.model is None:
        return set()
    graph, joints = dae.model.graph, {body.name for body in bodies if isinstance(body.block, Joint)}
    turned = set()
    for body in dae.tree.loose:
        if body.name in graph:
            away = nx.single_source_shortest_path_length(graph, body.name, cutoff=4)
            nearest = min((name for name in away if name in joints), key=lambda name: away[name], default=None)
            turned |= {nearest} - {None}
    return turned


def _tip(bodies: list[Body], number: dict[str, int], dae: DAE) -> int:
    """Return the payload farthest out along the tree; of an arm without payloads the body."""
    from flexblocks.blocks.bodies.payload import Payload

    depth = []
    for body in bodies:
        depth.append(0 if body.parent is None else depth[number[dae.tree.bodies[body.parent].name]] + 1)
    candidates = [i for i, body in enumerate(bodies) if isinstance(body.block, Payload)] or range(len(bodies))
    return max(candidates, key=lambda i: depth[i])
