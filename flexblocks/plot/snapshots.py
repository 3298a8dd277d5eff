"""Snapshots of an arm along a motion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize

from flexblocks.errors import ParameterError
from flexblocks.geometry import Values, attached_frames, bending, extent, shape
from flexblocks.plot.arm import draw_links, draw_markers
from flexblocks.plot.force_elements import draw_force_elements
from flexblocks.plot.plane import draw_legend, drawing_axes, equal_scales, project
from flexblocks.plot.style import BLUE, VERMILION
from flexblocks.plot.subjects import arm_of, motion_of

if TYPE_CHECKING:
    from flexblocks.optim import Plan, Replay
    from flexblocks.simulation import Trajectory

FADING = LinearSegmentedColormap.from_list("fading", ["#CFE3F0", BLUE, "#00263D"])
PATH_POINTS = 400  # a smooth line in a figure of 6 inches; by trial


def snapshots(
    motion: Trajectory | Plan | Replay,
    ax: Axes | None = None,
    count: int = 10,
    *,
    p: Values = None,
    plane: Literal["xy", "xz", "yz", "xyz"] = "xy",
    exaggeration: float = 1.0,
) -> Axes:
    """Draw snapshots of an arm, evenly spaced in time, from light to dark, and the path of its tip.

    Parameters
    ----------
    motion : Trajectory, Plan or Replay
    ax : Axes, optional
        By default those of a new figure.
    count : int
        Number of postures, at least 2.
    p : dict or array, optional
        Symbolic parameters; by default those of the motion.
    plane, exaggeration
        As in `arm`.

    Returns
    -------
    Axes

    Raises
    ------
    FlexblocksError
        `count` is less than 2, an invalid plane, or a motion that does not know its arm.
    """
    if not isinstance(count, int) or count < 2:
        raise ParameterError(f"plot.snapshots: count = {count!r}; must be a whole number of at least 2.")
    dae, traj = arm_of(motion, "plot.snapshots"), motion_of(motion)
    p = traj.p if p is None else p
    ax = drawing_axes(ax, plane)
    outline = shape(dae)
    factor = np.where(bending(dae), exaggeration, 1.0)
    tip = outline.tip
    # The path of the tip, finer than the snapshots.
    path = [outline(x * factor, p)[tip][-1] for x in _at(traj, PATH_POINTS)[1]]
    ax.plot(*project(np.array(path), plane), color=VERMILION, linewidth=1.2, label=f"path of {tip}", zorder=3)
    # The postures, coloured by time.
    scale = Normalize(traj.t[0], traj.t[-1])
    for t, x in zip(*_at(traj, count), strict=True):
        lines = outline(x * factor, p)
        draw_links(ax, outline, lines, plane, color=FADING(scale(t)), linewidth=2.2, zorder=1.8)
    # Force elements in the last posture alone: in all of them they would hide the arm.
    draw_force_elements(ax, attached_frames(dae), x * factor, p, plane, size=extent(lines))
    draw_markers(ax, outline, lines, plane)
    equal_scales(ax, plane)
    bar = ax.figure.colorbar(ScalarMappable(scale, FADING), ax=ax, shrink=0.7, pad=0.1 if plane == "xyz" else 0.02)
    bar.set_label("time [s]")
    bar.outline.set_visible(False)
    draw_legend(ax, plane)
    return ax


def _at(traj: Trajectory, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return `count` times, evenly spaced, and the states (count, nx) there."""
    times = np.linspace(traj.t[0], traj.t[-1], count)
    return times, np.column_stack([np.interp(times, traj.t, column) for column in traj.x.T])
