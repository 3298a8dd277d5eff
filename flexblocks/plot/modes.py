"""Mode shapes side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import matplotlib.pyplot as plt
import numpy as np

from flexblocks.errors import ParameterError
from flexblocks.plot.mode import mode

if TYPE_CHECKING:
    from flexblocks.linear.linear_model import LinearModel

MOST, WIDTH, HEIGHT = 6, 4.2, 3.6  # modes by default; inches of each picture


def modes(
    lin: LinearModel, numbers: Sequence[int] | None = None, *, plane: Literal["xy", "xz", "yz", "xyz"] = "xy"
) -> np.ndarray:
    """Draw several mode shapes side by side in a new figure.

    Parameters
    ----------
    lin : LinearModel
    numbers : sequence of int, optional
        Counted from 1, as ``print(lin.modes())`` does; by default the six slowest, rigid-body modes left out.
    plane : str
        As in `arm`.

    Returns
    -------
    ndarray of Axes (k,)

    Raises
    ------
    ParameterError
        As for `mode`; or no mode to draw.
    """
    if numbers is None:
        numbers = [i for i, candidate in enumerate(lin.modes(), 1) if candidate.eigenvalue != 0][:MOST]
    if not len(numbers):
        raise ParameterError(
            "plot.modes: no mode to draw; must be one at least. Give numbers=[...] of modes, or an arm "
            "with elastic modes."
        )
    columns = min(len(numbers), 3)
    rows = -(-len(numbers) // columns)
    subplot: dict[str, Any] = {"projection": "3d"} if plane == "xyz" else {}
    _, grid = plt.subplots(
        rows, columns, figsize=(WIDTH * columns, HEIGHT * rows), layout="constrained", squeeze=False, subplot_kw=subplot
    )
    for ax in grid.flat[len(numbers) :]:
        ax.remove()
    drawn = grid.ravel()[: len(numbers)]
    for number, ax in zip(numbers, drawn, strict=True):
        mode(lin, number, ax, plane=plane)
        ax.set_title(ax.get_title().replace(": ", "\n", 1), fontsize="x-small")
    return drawn
