"""What a command prints: tables for people, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a table; numbers are aligned to the right."""
    rows = [tuple(row) for row in rows]
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for place, column in enumerate(columns):
        numeric = bool(rows) and all(isinstance(row[place], (int, float)) or row[place] == "" for row in rows)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        # As Text, so that the brackets of bending_y[1] are not read as markup.
        table.add_row(*(Text(_written(entry)) for entry in row))
    Console().print(table)


def print_line(text: str) -> None:
    """Print a line of plain text."""
    Console(soft_wrap=True).print(text, markup=False, highlight=False)


def print_json(data: Any) -> None:
    """Print JSON to stdout, as strict as the standard: a number that is not finite becomes null."""
    print(json.dumps(_strict(data), indent=2))


def write_json(path: Path, data: Any) -> None:
    """Write JSON to a file, as `print_json` prints it."""
    path.write_text(json.dumps(_strict(data), indent=2) + "\n", encoding="utf-8")


def _written(entry: Any) -> str:
    return f"{entry:.5g}" if isinstance(entry, float) else str(entry)


def _strict(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _strict(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_strict(value) for value in data]
    if isinstance(data, float) and not (abs(data) < float("inf")):
        return None
    return data
