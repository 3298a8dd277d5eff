"""Content of a report: sections of text, tables, plots and an animation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexblocks.plot.animation.animation import Animation


@dataclass(frozen=True)
class Text:
    """Text as it is printed, in columns."""

    text: str


@dataclass(frozen=True)
class Cards:
    """Figures of merit: for each its name, value and unit, as text."""

    cards: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Table:
    """Table: column heads, and rows of text."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False)
class Curve:
    """Curve of a plot; `points` makes it points without a line."""

    label: str
    x: np.ndarray
    y: np.ndarray
    color: int
    dashed: bool = False
    points: bool = False


@dataclass(frozen=True, eq=False)
class Plot:
    """Interactive plot.

    Attributes
    ----------
    title, x_label, y_label : str
    curves : tuple of Curve
    bounds : tuple of (float, int)
        Levels that are drawn as thin lines, each with the number of its colour.
    log : bool
        Whether the x axis is logarithmic.
    group : str
        Plots of one group share their cursor and the section that they show.
    """

    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    bounds: tuple[tuple[float, int], ...] = ()
    log: bool = False
    group: str = "time"


@dataclass(frozen=True, eq=False)
class Section:
    """Section of a report: a title and what is below it."""

    title: str
    parts: tuple[Text | Cards | Table | Plot | Animation, ...] = field(default_factory=tuple)


@dataclass(frozen=True, eq=False)
class Report:
    """Report: a title, what it is of, and sections."""

    title: str
    subtitle: str
    sections: tuple[Section, ...]


def table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> Table:
    """Return a table of values; numbers are written with five digits."""
    return Table(tuple(heads), tuple(tuple(written(value) for value in row) for row in rows))


def written(value: Any) -> str:
    """Return a value as text."""
    if value is None:
        return ""
    if isinstance(value, (float, np.floating)):
        return f"{value:.5g}"
    return str(value)
