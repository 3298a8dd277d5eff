"""Pictures of force elements: springs, cylinders, ropes, contact planes, forces from outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from flexblocks.blocks.forces.cable import Cable
from flexblocks.blocks.forces.contact import Contact
from flexblocks.blocks.forces.hydraulic_cylinder import HydraulicCylinder
from flexblocks.blocks.forces.line_force import LineForce
from flexblocks.blocks.forces.pulley_rope import _RopeSpans, tangent_points
from flexblocks.blocks.forces.spring_damper import SpringDamper
from flexblocks.blocks.forces.world_force import WorldForce, WorldTorque
from flexblocks.geometry import AttachedFrames, Values
from flexblocks.interfaces.block import Block
from flexblocks.plot.plane import project
from flexblocks.plot.style import BLACK, GRAY, GREEN, ORANGE, PURPLE

COILS = 6
# Shares of the length: a spring's coils, to each side; a cylinder's barrel; half a contact's plane, of the arm's size.
COIL, BARREL, PLANE = 0.06, 0.55, 0.12
# Smallest amplitude of the coils, of the arm's size.
THIN = 0.004

Drawn = list[tuple[np.ndarray, dict[str, Any]]]


def draw_force_elements(
    ax: Axes, frames: AttachedFrames, x: Values, p: Values, plane: str, *, size: float, labels: bool = True
) -> None:
    """Draw the force elements of an arm in one posture.

    Parameters
    ----------
    ax : Axes
    frames : AttachedFrames
    x, p
        As of `arm`.
    plane : str
    size : float
        Extent of the arm [m], for signs that have none of their own.
    labels : bool
        Whether they are named in the legend, each kind once.
    """
    named: set[str] = set()
    for element, (axes, origins) in zip(frames.dae.tree.elements, frames(x, p).values(), strict=True):
        block = element.terms.block
        label, draw = _picture(block)
        for points, style in draw(block, axes, origins, _view(plane), size):
            name = label if labels and label not in named else None
            named.add(label)
            ax.plot(*project(points, plane), label=name, **style)


def _picture(block: Block) -> tuple[str, Callable[..., Drawn]]:
    """Return the word for a force element, and what draws it."""
    for kind, picture in PICTURES.items():
        if isinstance(block, kind):
            return picture
    return "force element", _dots


def _view(plane: str) -> np.ndarray:
    """Return the direction (3,) from which the picture is seen; in space the vertical, so that coils lie level."""
    return np.eye(3)[2] if plane == "xyz" else np.cross(*(np.eye(3)["xyz".index(axis)] for axis in plane))


def _across(line: np.ndarray, view: np.ndarray) -> np.ndarray:
    """Return a unit vector (3,) across a line, in the plane of the picture if there is one."""
    for about in (view, *np.eye(3)):
        across = np.cross(about, line)
        if np.linalg.norm(across) > 1e-6 * np.linalg.norm(line):
            return across / np.linalg.norm(across)
    return np.zeros(3)


def _spring(block: Block, axes: np.ndarray, origins: np.ndarray, view: np.ndarray, size: float) -> Drawn:
    del block, axes
    a, b = origins
    line = b - a
    width = max(COIL * np.linalg.norm(line), THIN * size)
    shares = np.r_[0.0, np.linspace(0.15, 0.85, 2 * COILS + 1), 1.0]
    sides = np.r_[0.0, 0.0, np.tile([1.0, -1.0], COILS)[:-1], 0.0, 0.0]
    zigzag = a + shares[:, None] * line + width * sides[:, None] * _across(line, view)
    return [(zigzag, {"color": GREEN, "linewidth": 1.4, "zorder": 3})]


def _cylinder(block: Block, axes: np.ndarray, origins: np.ndarray, view: np.ndarray, size: float) -> Drawn:
    del axes, view, size
    a, b = origins
    # A cylinder's barrel keeps its length; that of an ideal actuator is drawn in proportion.
    barrel = BARREL * np.linalg.norm(b - a)
    if isinstance(block, HydraulicCylinder):
        barrel = min(0.9 * block.nominal.retracted, np.linalg.norm(b - a))
    neck = a + barrel * (b - a) / max(np.linalg.norm(b - a), 1e-300)
    return [
        (np.array([a, neck]), {"color": ORANGE, "linewidth": 4.0, "zorder": 3.1, "solid_capstyle": "butt"}),
        (np.array([neck, b]), {"color": GRAY, "linewidth": 1.8, "zorder": 3}),
        (origins, {"color": BLACK, "marker": "o", "ms": 3, "linestyle": "none", "zorder": 4}),
    ]


def _cable(block: Block, axes: np.ndarray, origins: np.ndarray, view: np.ndarray, size: float) -> Drawn:
    del block, axes, view, size
    return [
        (origins, {"color": BLACK, "linewidth": 1.0, "zorder": 3}),
        (origins[1:-1], {"color": BLACK, "marker": "o", "ms": 3.5, "mfc": "white", "linestyle": "none", "zorder": 4}),
    ]


def _spans(block: Block, axes: np.ndarray, origins: np.ndarray, view: np.ndarray, size: float) -> Drawn:
    del view, size
    assert isinstance(block, _RopeSpans)
    ends = [point for _, point in tangent_points(block.nominal, axes, origins)]
    style = {"color": BLACK, "linewidth": 1.0, "zorder": 3}
    return [(np.array(ends[i : i + 2]), style) for i in range(0, len(ends), 2)]


def _contact(block: Block, axes: np.ndarray, origins: np.ndarray, view: np.ndarray, size: float) -> Drawn:
    assert isinstance(block, Contact)
    values = block.nominal
    normal = axes[1] @ np.array(values.normal)
    # The part of the plane below the sphere; with its edge in the picture, or as a square in space.
    foot = origins[0] - normal * (normal @ (origins[0] - origins[1]))
    one = _across(normal, view)
    two = np.cross(normal, one)
    corners = [one + two, one - two, -one - two, -one + two, one + two]
    square = foot + max(PLANE * size, 2 * values.radius) * np.array(corners)
    drawn: Drawn = [(square, {"color": PURPLE, "linewidth": 2.0, "zorder": 2.2})]
    if values.radius:
        turns = np.linspace(0.0, 2 * np.pi, 49)[:, None]
        first = _across(view, np.eye(3)[0])
        ring = values.radius * (np.cos(turns) * first + np.sin(turns) * np.cross(view, first))
        drawn.append((origins[0] + ring, {"color": PURPLE, "linewidth": 1.2, "zorder": 4}))
    return drawn


def _force(block: Block, axes: np.ndarray, origins: np.ndarray, view: np.ndarray, size: float) -> Drawn:
    del axes, view, size
    sign = r"$\circlearrowleft$" if isinstance(block, WorldTorque) else r"$\downarrow$"
    return [(origins[:1], {"color": PURPLE, "marker": sign, "ms": 11, "linestyle": "none", "zorder": 6})]


def _dots(block: Block, axes: np.ndarray, origins: np.ndarray, view: np.ndarray, size: float) -> Drawn:
    del block, axes, view, size
    return [(origins, {"color": PURPLE, "linewidth": 1.2, "linestyle": ":", "marker": "o", "ms": 3, "zorder": 3})]


PICTURES: dict[type, tuple[str, Callable[..., Drawn]]] = {
    SpringDamper: ("spring", _spring),
    HydraulicCylinder: ("cylinder", _cylinder),
    LineForce: ("line force", _cylinder),
    Cable: ("rope", _cable),
    _RopeSpans: ("rope", _spans),
    Contact: ("contact", _contact),
    WorldForce: ("external force", _force),
    WorldTorque: ("external torque", _force),
}
