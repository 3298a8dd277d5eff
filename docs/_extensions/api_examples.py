"""Examples of the reference that stand in no page: cells of docs/api_examples, each headed by the names it shows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "api_examples"
CELL = re.compile(r"^# %%(.*)\n", re.MULTILINE)


def examples(aliases: Mapping[str, str]) -> dict[str, str]:
    """Return the code of the cell of each public name that heads one.

    Parameters
    ----------
    aliases : dict
        The documented path of each public path.

    Raises
    ------
    KeyError
        A cell is headed by what is no public name.
    """
    found: dict[str, str] = {}
    for path in sorted(FOLDER.glob("*.py")):
        _, *rest = CELL.split(path.read_text(encoding="utf-8"))
        for names, code in zip(rest[::2], rest[1::2], strict=True):
            for name in names.split():
                found[aliases[f"flexblocks.{name}"]] = code.strip("\n")
    return found
