"""Names of blocks from the names in a file, which may have any characters and be used twice."""

from __future__ import annotations

import re


class BlockNames:
    """Names that blocks can have, each given once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def new(self, text: str, suffix: str = "") -> str:
        """Return the name for a text of the file; where it is taken, with the suffix and perhaps a number."""
        plain = re.sub(r"\W", "_", text) or "_"
        plain = plain if re.match(r"[A-Za-z_]", plain) else f"_{plain}"
        count, name = 1, plain
        while name in self._taken:
            name = f"{plain}{suffix}" if suffix and count == 1 else f"{plain}{suffix}_{count + (not suffix)}"
            count += 1
        self._taken.add(name)
        return name
