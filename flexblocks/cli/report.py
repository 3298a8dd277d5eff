"""Output of commands: tables for people, JSON for programs, pictures, reports."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from flexblocks.files import write_text

INTERRUPTED = 130  # what shells say of a command that Ctrl-C has ended: what comes after it has not got all of it


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a table; numbers are aligned to the right."""
    rows = [tuple(row) for row in rows]
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    # A column is numeric if all of its entries are, but for empty ones.
    for place, column in enumerate(columns):
        numeric = bool(rows) and all(isinstance(row[place], (int, float)) or row[place] == "" for row in rows)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        # As Text, because rich would read the brackets of bending_y[1] as markup.
        table.add_row(*(Text(_formatted(entry)) for entry in row))
    Console().print(table)


def print_line(text: str) -> None:
    """Print a line of plain text."""
    Console(soft_wrap=True).print(text, markup=False, highlight=False)


def print_json(data: Any) -> None:
    """Print strict JSON to stdout: numbers that are not finite become null."""
    print(json.dumps(_strict(data), indent=2))


def write_json(path: Path, data: Any) -> None:
    """Write JSON to a file, as `print_json` prints it."""
    write_text(path, json.dumps(_strict(data), indent=2) + "\n")


def save_picture(path: Path | None, draw: Callable[[Any], Any]) -> None:
    """Write the axes that ``draw(flexblocks.plot)`` returns to a file; do nothing without one."""
    if path is not None:
        from flexblocks import plot  # slow to import

        plot.save(draw(plot), path)


def save_report(path: Path | None, result: Any, **parts: Any) -> None:
    """Write the report of a result to a file, see `flexblocks.export.report`; do nothing without one."""
    if path is not None:
        from flexblocks import export  # slow to import

        export.report(result, path, **parts)
        print(f"Report written to {path}.", file=sys.stderr)  # stdout may be JSON


def _formatted(entry: Any) -> str:
    return f"{entry:.5g}" if isinstance(entry, float) else str(entry)


def _strict(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _strict(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_strict(value) for value in data]
    if isinstance(data, float) and not (abs(data) < float("inf")):
        return None
    return data
