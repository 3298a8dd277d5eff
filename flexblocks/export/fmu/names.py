"""Variable names in FMI's structured naming convention, and C identifiers."""

from __future__ import annotations

import re

# One level of a path: an identifier with optional indices.
LEVEL = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\[[0-9]+(?:,[0-9]+)*\])?")
RATE = re.compile(r"der\((.*?)(,[0-9]+)?\)")


def structured(name: str) -> str:
    """Return a variable's name in the structured naming convention; levels that are not identifiers are quoted.

    Examples
    --------
    >>> structured("link1.bending_y[1]"), structured("der(joint1.angle,2)"), structured("hub-1.angle")
    ('link1.bending_y[1]', 'der(joint1.angle,2)', "'hub-1'.angle")
    """
    rate = RATE.fullmatch(name)
    if rate:
        return f"der({structured(rate[1])}{rate[2] or ''})"
    return ".".join(level if LEVEL.fullmatch(level) else _quoted(level) for level in name.split("."))


def rate_of(name: str) -> str:
    """Return the name of the time derivative of a variable: ``der(a)`` of ``a``, ``der(a,2)`` of ``der(a)``."""
    rate = RATE.fullmatch(name)
    return f"der({rate[1]},{int((rate[2] or ',1')[1:]) + 1})" if rate else f"der({name})"


def identifier(text: str) -> str:
    """Return a C identifier made from a text."""
    cleaned = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_")
    return cleaned if re.match(r"[A-Za-z_]", cleaned) else f"model_{cleaned}".rstrip("_")


def string_literal(text: str) -> str:
    """Return a text as a C string literal in UTF-8; what may mean something else there is written in octal digits.

    Examples
    --------
    >>> string_literal('hub "1"')
    '"hub \\\\0421\\\\042"'
    """
    plain = re.compile(rb"[A-Za-z0-9 _.,()\[\]-]")
    letters = (text.encode()[i : i + 1] for i in range(len(text.encode())))
    return '"' + "".join(x.decode() if plain.match(x) else f"\\{x[0]:03o}" for x in letters) + '"'


def _quoted(level: str) -> str:
    # The convention is ASCII only.
    escaped = level.replace("\\", "\\\\").replace("'", "\\'").replace('"', '\\"')
    # Other characters by their code points: with one sign for all, two names could become the same.
    return "'" + re.sub(r"[^ -~]", lambda letter: f"{{{ord(letter[0]):04x}}}", escaped) + "'"
