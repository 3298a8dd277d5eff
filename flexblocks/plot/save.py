"""Saving pictures to files."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from flexblocks.errors import FileFormatError, listing
from flexblocks.files import atomic_file


def save(ax: Axes, path: str | Path) -> None:
    """Write the figure that holds `ax` to a file and close it.

    Raises
    ------
    FileFormatError
        The name ends in nothing that Matplotlib draws, or the file cannot be written.
    """
    figure = ax.get_figure(root=True)
    assert figure is not None
    suffix, known = Path(path).suffix.lower(), figure.canvas.get_supported_filetypes()
    if suffix[1:] not in known:
        raise FileFormatError(
            f"{path}: suffix '{suffix}'; must be one of {listing((f'.{kind}' for kind in known), most=len(known))}."
        )
    # In memory first: where the disk is full, some of Matplotlib's formats raise an error of their own on the way out.
    picture = BytesIO()
    figure.savefig(picture, dpi=150, format=suffix[1:])  # sharp on screens, and small files
    with atomic_file(path) as unfinished:
        unfinished.write_bytes(picture.getvalue())
    plt.close(figure)
