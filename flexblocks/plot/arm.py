"""Picture of an arm in one posture, links deformed."""

from __future__ import annotations

from typing import Literal

import numpy as np
from matplotlib.axes import Axes

from flexblocks.blocks.bodies.ground import Ground
from flexblocks.blocks.bodies.lumped_mass import LumpedMass
from flexblocks.blocks.bodies.payload import Payload
from flexblocks.blocks.bodies.stations import HasStations
from flexblocks.blocks.joints.joint import Joint
from flexblocks.dae.dae import DAE
from flexblocks.geometry import Shape, Values, attached_frames, bending, extent, shape
from flexblocks.interfaces.block import Block
from flexblocks.plot.force_elements import draw_force_elements
from flexblocks.plot.plane import draw_legend, drawing_axes, equal_scales, project
from flexblocks.plot.style import BLACK, BLUE, GRAY, VERMILION
from flexblocks.plot.subjects import arm_of
from flexblocks.statics.operating_point import OperatingPoint

MARKERS: tuple[tuple[type[Block], str, dict], ...] = (
    (Ground, "ground", {"marker": "s", "ms": 13, "mfc": GRAY, "mec": BLACK, "zorder": 2.5}),
    (Joint, "joint", {"marker": "o", "ms": 7.5, "mfc": "white", "mec": BLACK, "mew": 1.6, "zorder": 4}),
    (Payload, "payload", {"marker": "D", "ms": 7.5, "mfc": VERMILION, "mec": BLACK, "zorder": 5}),
    (LumpedMass, "lumped mass", {"marker": "o", "ms": 6, "mfc": VERMILION, "mec": BLACK, "zorder": 5}),
)


def arm(
    shown: DAE | OperatingPoint,
    x: Values = None,
    ax: Axes | None = None,
    p: Values = None,
    *,
    plane: Literal["xy", "xz", "yz", "xyz"] = "xy",
    exaggeration: float = 1.0,
    undeformed: bool = False,
    legend: bool = True,
) -> Axes:
    """Draw an arm in one posture, with its force elements.

    Parameters
    ----------
    shown : DAE or OperatingPoint
    x : dict or array (nx,), optional
        States; by default those of the operating point, or the start values.
    ax : Axes, optional
        By default those of a new figure.
    p : dict or array, optional
        Symbolic parameters; by default those of the operating point, or their nominal values.
    plane : "xy", "xz", "yz" or "xyz"
        The plane of the picture; "xyz" draws in space and needs axes with ``projection="3d"`` if any are given.
    exaggeration : float
        Factor on the bending of the links.
    undeformed : bool
        Whether to draw the same posture without bending, too.
    legend : bool

    Returns
    -------
    Axes

    Raises
    ------
    FlexblocksError
        An unknown name in `x` or `p`, an array of the wrong length, an invalid plane, or an operating point that does
        not know its arm.
    """
    dae = arm_of(shown, "plot.arm")
    if isinstance(shown, OperatingPoint):
        x, p = shown.x if x is None else x, shown.p if p is None else p
    ax = drawing_axes(ax, plane)
    outline = shape(dae)
    x = dae.x.values(x, "plot.arm: x: ")
    bent = bending(dae)
    if undeformed:
        straight = outline(np.where(bent, 0.0, x), p)
        draw_links(ax, outline, straight, plane, color=GRAY, linewidth=1.0, linestyle="--", label="undeformed")
    # The posture itself on top, with exaggerated bending.
    lines = outline(np.where(bent, exaggeration * x, x), p)
    scale = "" if exaggeration == 1.0 else f" (bending x {exaggeration:g})"
    draw_links(ax, outline, lines, plane, color=BLUE, linewidth=3.5, label=f"link{scale}")
    draw_markers(ax, outline, lines, plane)
    posed = np.where(bent, exaggeration * x, x)
    draw_force_elements(ax, attached_frames(dae), posed, p, plane, size=extent(lines))
    equal_scales(ax, plane)
    if legend:
        draw_legend(ax, plane)
    return ax


def draw_links(
    ax: Axes, outline: Shape, lines: dict[str, np.ndarray], plane: str, *, label: str | None = None, **style
) -> None:
    """Draw every body that has an extent: links thick, others, such as slides, thin."""
    blocks = _blocks(outline)
    for name, points in lines.items():
        if np.ptp(points, axis=0).max() == 0:
            continue
        if isinstance(blocks[name], HasStations):
            ax.plot(*project(points, plane), solid_capstyle="round", label=label, **style)
            label = None
        else:
            ax.plot(*project(points, plane), **(style | {"linewidth": style["linewidth"] / 2.5}))


def draw_markers(ax: Axes, outline: Shape, lines: dict[str, np.ndarray], plane: str) -> None:
    """Draw ground, joints, payloads and lumped masses."""
    blocks = _blocks(outline)
    for kind, label, style in MARKERS:
        points = [points[-1:] for name, points in lines.items() if isinstance(blocks[name], kind)]
        if points:
            ax.plot(*project(np.concatenate(points), plane), linestyle="none", label=label, **style)


def _blocks(outline: Shape) -> dict[str, Block]:
    return {body.name: body.block for body in outline.dae.tree.bodies}
