"""A region that a motion keeps out of, or stays in."""

from __future__ import annotations

import casadi as ca
import numpy as np
from matplotlib.axes import Axes

from flexblocks.errors import ParameterError
from flexblocks.optim.problem.path_constraints.region import Region
from flexblocks.plot.plane import PLANES
from flexblocks.plot.style import GREY

POINTS = 600  # along each axis


def region(
    region: Region, ax: Axes, *, plane: str = "xy", at: float = 0.0, inside: bool = False, margin: float = 0.0
) -> Axes:
    """Draw the section of a region as a plan takes it, about the limits that the axes have.

    Parameters
    ----------
    region : Region
        As `optim.Sphere`, `optim.Box` or `optim.HalfSpace`.
    ax : Axes
        With the arm on it already, see `snapshots`.
    plane : str
        The plane of the picture.
    at : float
        Where the section is on the third axis [m].
    inside : bool
        Whether to shade what is not in the region instead: for a region to stay in.
    margin : float
        Where it is more than 0, how far from the region a dotted line is drawn [m].

    Returns
    -------
    Axes

    Raises
    ------
    ParameterError
        No such plane.
    """
    if plane not in PLANES:
        raise ParameterError(f"plot.region: plane = {plane!r}; must be two different ones of x, y, z.")
    # Equal scales widen one of the axes when the picture is drawn: draw beyond them, and have them scaled as they were.
    limits, data = (ax.get_xlim(), ax.get_ylim()), ax.dataLim.frozen()
    across, up = (np.linspace(1.5 * low - 0.5 * high, 1.5 * high - 0.5 * low, POINTS) for low, high in limits)
    places = [np.broadcast_to(across, (POINTS, POINTS)), np.broadcast_to(up[:, None], (POINTS, POINTS))]
    points = np.full((3, POINTS, POINTS), float(at))
    for axis, place in zip(plane, places, strict=True):
        points["xyz".index(axis)] = place
    r = ca.SX.sym("r", 3)
    clearances = [ca.mmin(region.inside(r, m)) if inside else region.outside(r, m) for m in (0.0, margin)]
    function = ca.Function("clearance", [r], clearances).map(POINTS**2)
    values, kept = (np.array(v).reshape(POINTS, POINTS) for v in function(points.reshape(3, -1)))
    ax.contourf(across, up, values, levels=[-np.inf, 0.0], colors=[GREY], alpha=0.35, zorder=0.5)
    ax.contour(across, up, values, levels=[0.0], colors=[GREY], linewidths=1.2, zorder=0.6)
    if margin:
        ax.contour(across, up, kept, levels=[0.0], colors=[GREY], linewidths=0.9, linestyles=":", zorder=0.6)
    ax.dataLim.set(data)
    ax.autoscale_view()
    return ax
