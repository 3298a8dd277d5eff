"""Mode shape of an arm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from matplotlib.axes import Axes

from flexblocks.errors import ParameterError
from flexblocks.geometry import shape
from flexblocks.linear.constraint_tangent import tangent
from flexblocks.plot.arm import draw_links, draw_markers
from flexblocks.plot.plane import drawing_axes, equal_scales
from flexblocks.plot.style import BLUE, GRAY, SKY
from flexblocks.plot.subjects import arm_of

if TYPE_CHECKING:
    from flexblocks.linear.linear_model import LinearModel

# Largest displacement, as a share of the arm's size: large enough to see, small enough to look like the linear motion.
SWING = 0.06


def mode(
    lin: LinearModel, number: int, ax: Axes | None = None, *, plane: Literal["xy", "xz", "yz", "xyz"] = "xy"
) -> Axes:
    """Draw a mode shape: the arm at both extremes of one mode, about the posture in which it was linearised.

    The amplitude is arbitrary. A complex mode is drawn at the instant when its largest coordinate is at an extreme.

    Parameters
    ----------
    lin : LinearModel
    number : int
        Counted from 1, as ``print(lin.modes())`` does.
    ax : Axes, optional
        By default those of a new figure.
    plane : str
        As in `arm`.

    Returns
    -------
    Axes

    Raises
    ------
    ParameterError
        No such mode, an invalid plane, or a linear model that does not know its arm.
    """
    # The mode, as a direction in the states.
    dae, modes = arm_of(lin, "plot.mode"), lin.modes()
    point = lin.operating_point
    if not isinstance(number, int) or not 1 <= number <= len(modes):
        raise ParameterError(f"plot.mode: number = {number!r}; must be a whole number from 1 to {len(modes)}.")
    chosen = modes[number - 1]
    ax = drawing_axes(ax, plane)
    outline = shape(dae)
    rest, p = point.x, point.p
    direction = np.zeros_like(rest)
    n = dae.tree.size
    direction[:n] = tangent(dae, point, np.zeros(n)).q @ np.real(chosen.shape)
    still = outline(rest, p)
    # The linear motion by a small central difference: scaled coordinates could be large and cancel in the outline.
    step = 1e-5 / max(np.abs(direction).max(), 1e-300)
    ahead, behind = (outline(rest + sign * step * direction, p) for sign in (1, -1))
    motion = {name: (ahead[name] - behind[name]) / (2 * step) for name in still}
    # Scaled so that the arm moves visibly, at rest and at both extremes.
    reach = np.linalg.norm(np.ptp(np.concatenate(list(still.values())), axis=0))
    travel = max(np.linalg.norm(part, axis=1).max(initial=0.0) for part in motion.values())
    amplitude = SWING * reach / travel if travel else 0.0
    draw_links(ax, outline, still, plane, color=GRAY, linewidth=1.0, linestyle="--", label="at rest")
    for sign, color in ((-1, SKY), (1, BLUE)):
        lines = {name: still[name] + sign * amplitude * part for name, part in motion.items()}
        draw_links(ax, outline, lines, plane, color=color, linewidth=2.5)
        draw_markers(ax, outline, lines, plane)
    equal_scales(ax, plane)
    ax.set_title(f"mode {number}, {chosen}", fontsize="small")
    return ax
