"""Projection of an arm on the plane of a picture."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from matplotlib.axes import Axes
from mpl_toolkits.mplot3d import Axes3D

from flexblocks.errors import ParameterError
from flexblocks.plot.style import axes, quiet

PLANES = tuple("".join(pair) for pair in permutations("xyz", 2))


def drawing_axes(ax: Axes | None, plane: str) -> Axes:
    """Return labelled axes for a picture in `plane`.

    Raises
    ------
    ParameterError
        An invalid plane, or two-dimensional axes for a picture in space.
    """
    if plane not in (*PLANES, "xyz"):
        raise ParameterError(f"plot: plane = {plane!r}; must be two different ones of x, y, z, or 'xyz'.")
    if plane == "xyz":
        ax = axes(ax, size=(6.5, 6.0), projection="3d")
        if not isinstance(ax, Axes3D):
            raise ParameterError(
                "plot: plane = 'xyz' with two-dimensional axes; must be axes made with projection='3d', or ax=None."
            )
    else:
        ax = axes(ax, size=(6.5, 5.5))
        quiet(ax)
    for direction, axis in zip("xyz", plane, strict=False):
        getattr(ax, f"set_{direction}label")(f"{axis} [m]")
    return ax


def equal_scales(ax: Axes, plane: str) -> None:
    """Give all axes the same scale; to be called last, since in space the scale comes from what is drawn."""
    if plane != "xyz":
        ax.set_aspect("equal", adjustable="datalim")
        return
    assert isinstance(ax, Axes3D)
    # A cube about the middle of what is drawn.
    limits = np.array([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()])
    reach = np.ptp(limits, axis=1).max() / 2
    for direction, middle in zip("xyz", limits.mean(axis=1), strict=True):
        getattr(ax, f"set_{direction}lim")(middle - reach, middle + reach)
    ax.set_box_aspect((1, 1, 1))


def draw_legend(ax: Axes, plane: str) -> None:
    """Draw the legend; in space in the corner that the box leaves free."""
    ax.legend(frameon=False, fontsize="small", loc="upper left" if plane == "xyz" else "best")


def project(points: np.ndarray, plane: str) -> np.ndarray:
    """Return the coordinates (2 or 3, k) of points (k, 3) in the picture."""
    return points[:, ["xyz".index(axis) for axis in plane]].T
