"""Section of a region that a motion must avoid or stay in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np
from matplotlib.axes import Axes

from flexblocks.errors import ParameterError
from flexblocks.plot.plane import PLANES
from flexblocks.plot.style import GRAY

if TYPE_CHECKING:  # importing optim imports Pyomo, which pictures of arms do not need
    from flexblocks.optim.problem.path_constraints.region import Region

POINTS = 600  # along each axis, by trial: outlines look smooth in a figure of 6 inches


def region(
    region: Region, ax: Axes, *, plane: str = "xy", offset: float = 0.0, inside: bool = False, margin: float = 0.0
) -> Axes:
    """Draw the section of a region through a plane, over the present limits of the axes.

    Parameters
    ----------
    region : Region
        Such as `optim.Sphere`, `optim.Cuboid` or `optim.HalfSpace`.
    ax : Axes
        With the arm drawn on it, see `snapshots`.
    plane : str
        The plane of the picture.
    offset : float
        Position of the section on the third axis [m].
    inside : bool
        Whether to shade the outside instead: for a region to stay in.
    margin : float
        Distance from the region [m] at which a dotted line is drawn; 0 for none.

    Returns
    -------
    Axes

    Raises
    ------
    ParameterError
        An invalid plane.
    """
    if plane not in PLANES:
        raise ParameterError(f"plot.region: plane = {plane!r}; must be two different ones of x, y, z.")
    # Equal scales widen one of the axes when the figure is drawn: cover twice their range, and restore the data limits.
    limits, data = (ax.get_xlim(), ax.get_ylim()), ax.dataLim.frozen()
    across, up = (np.linspace(1.5 * low - 0.5 * high, 1.5 * high - 0.5 * low, POINTS) for low, high in limits)
    places = [np.broadcast_to(across, (POINTS, POINTS)), np.broadcast_to(up[:, None], (POINTS, POINTS))]
    points = np.full((3, POINTS, POINTS), float(offset))
    for axis, place in zip(plane, places, strict=True):
        points["xyz".index(axis)] = place
    # The region is where the clearance is negative.
    r = ca.SX.sym("r", 3)
    clearances = [ca.mmin(region.inside(r, m)) if inside else region.outside(r, m) for m in (0.0, margin)]
    function = ca.Function("clearance", [r], clearances).map(POINTS**2)
    values, kept = (np.array(v).reshape(POINTS, POINTS) for v in function(points.reshape(3, -1)))
    ax.contourf(across, up, values, levels=[-np.inf, 0.0], colors=[GRAY], alpha=0.35, zorder=0.5)
    ax.contour(across, up, values, levels=[0.0], colors=[GRAY], linewidths=1.2, zorder=0.6)
    if margin:
        ax.contour(across, up, kept, levels=[0.0], colors=[GRAY], linewidths=0.9, linestyles=":", zorder=0.6)
    ax.dataLim.set(data)
    ax.autoscale_view()
    return ax
