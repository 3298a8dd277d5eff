"""Content of what a notebook shows: a title, lines of text, tables and diagrams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Text:
    """Text as it is printed, with its line breaks."""

    text: str


@dataclass(frozen=True)
class Svg:
    """Diagram, whose text is escaped already."""

    source: str


@dataclass(frozen=True)
class Table:
    """Table: its title, column heads, and rows of text."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Content:
    """Content: a title, and what is below it."""

    title: str
    parts: tuple[Text | Svg | Table, ...]


def table(title: str, heads: Iterable[str], rows: Iterable[Sequence[Any]]) -> tuple[Table, ...]:
    """Return a table of values, none where there are no rows; numbers are written with five digits."""
    written_rows = tuple(tuple(written(value) for value in row) for row in rows)
    return (Table(title, tuple(heads), written_rows),) if written_rows else ()


def written(value: Any) -> str:
    """Return a value as text; what is not there is empty."""
    if value is None:
        return ""
    if isinstance(value, (float, np.floating)):
        return f"{value:.5g}"
    return str(value)
