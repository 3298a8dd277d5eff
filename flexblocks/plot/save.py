"""Saving pictures to files."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.axes import Axes


def save(ax: Axes, path: str | Path) -> None:
    """Write the figure that holds `ax` to a file and close it."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.savefig(path, dpi=150)  # sharp on screens, and small files
    plt.close(figure)
