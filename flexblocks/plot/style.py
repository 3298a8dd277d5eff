"""Style shared by all pictures: colours, dashes, grid."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

# Palette of Okabe & Ito (2008), which can be distinguished with any kind of colour vision.
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
SKY, ORANGE, BLACK, GRAY = "#56B4E9", "#E69F00", "#222222", "#999999"
PALETTE = (BLUE, VERMILION, GREEN, PURPLE, SKY, ORANGE, BLACK)
DASHES = ("-", "--", "-.", ":")


def axes(ax: Axes | None, *, size: tuple[float, float] = (7.0, 4.0), **subplot: Any) -> Axes:
    """Return `ax`, or the axes of a new figure of that size [inches]."""
    if ax is None:
        _, ax = plt.subplots(figsize=size, layout="constrained", subplot_kw=subplot)
    return ax


def line_style(number: int) -> dict[str, Any]:
    """Return colour and dashes of the line of that number.

    Both change from line to line, so that a line on top of another hides only half of it.
    """
    return {"color": PALETTE[number % len(PALETTE)], "linestyle": DASHES[number % len(DASHES)]}


def quiet(ax: Axes) -> None:
    """Draw a light grid, and no frame at the top and right."""
    ax.grid(True, color="#DDDDDD", linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
