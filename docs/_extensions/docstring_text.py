"""Docstrings for reStructuredText, in which |w| were a substitution; long defaults by the name of their class."""

from __future__ import annotations

import re
from typing import Any

BARS = re.compile(r"(``[^`]*``|`[^`]*`)|\|")
CALL = re.compile(r"(?<==)[\w.]+\((?:[^()]|\([^()]*\))*\)")
SHORT = 60  # characters of a default that is written out


def escape(app: Any, what: str, name: str, of: Any, options: Any, lines: list[str]) -> None:
    """Escape bars outside of code, in place."""
    lines[:] = [BARS.sub(lambda found: found[1] or r"\|", line) for line in lines]


def shorten(app: Any, what: str, name: str, of: Any, options: Any, signature: str | None, returned: str | None) -> Any:
    """Return the signature with defaults that are long objects named by their class alone."""
    if signature is None:
        return None
    short = CALL.sub(lambda call: call[0] if len(call[0]) < SHORT else call[0].partition("(")[0] + "(...)", signature)
    return short, returned


def setup(app: Any) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", escape)
    app.connect("autodoc-process-signature", shorten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
