"""Content of linear models: modes, and grids of models."""

from __future__ import annotations

import math

from flexblocks.errors import FlexblocksError
from flexblocks.linear.grid.linear_grid import LinearGrid
from flexblocks.linear.linear_model import LinearModel
from flexblocks.linear.modes import Modes
from flexblocks.notebook.content import Content, Table, Text, table


def linear_model(shown: LinearModel) -> Content:
    """Return the modes of a linear model, and what it connects."""
    try:
        told: tuple[Table | Text, ...] = _modes(shown.modes())
    except FlexblocksError as error:  # a model without modes is a model still
        told = (Text(str(error)),)
    groups = {
        "Inputs": (shown.inputs, shown.input_units),
        "Outputs": (shown.outputs, shown.output_units),
    }
    tables = [table(title, ("name", "unit"), list(zip(*ends, strict=True))) for title, ends in groups.items()]
    return Content(repr(shown), (*told, *(part for one in tables for part in one)))


def modes(shown: Modes) -> Content:
    """Return the modes, from slow to fast: what they are, and which blocks take part."""
    return Content(f"{len(shown)} modes", _modes(shown))


def grid(shown: LinearGrid) -> Content:
    """Return the axes of a grid, its interpolation error, and modes of doubtful identity."""
    title, *lines = str(shown).split("\n")
    axes = [
        (name, values[0], values[-1], shown.dataset[name].attrs["units"], len(values))
        for name, values in shown.axes.items()
    ]
    doubtful = shown.doubtful()
    return Content(
        title,
        (
            *table("Axes", ("name", "from", "to", "unit", "points"), axes),
            Text("\n".join(lines)),
            *table("Modes of doubtful identity", map(str, doubtful.columns), list(doubtful.itertuples(index=False))),
        ),
    )


def _modes(shown: Modes) -> tuple[Table, ...]:
    rows = [
        (f"{number}", mode.motion, mode.frequency / (2 * math.pi), mode.shares) for number, mode in enumerate(shown, 1)
    ]
    return table("Modes", ("mode", "motion", "Hz", "participation"), rows)
