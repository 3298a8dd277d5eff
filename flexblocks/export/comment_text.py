"""Escaping of user text in generated comments, so that it is inert in every language."""

from __future__ import annotations

import re

# What ends, begins or hides a comment or a string: C's /* and */, trigraphs (??/ is a backslash), three quotes.
BREAKING = (("/*", "/ *"), ("*/", "* /"), ("??", "? ?"))


def comment_text(text: object) -> str:
    """Return a text that may stand in a comment of C, MATLAB or LaTeX and in a docstring of Python.

    One line of printable characters: line ends of all kinds, control characters and marks that reverse the direction of
    writing become spaces. Quotes become apostrophes and backslashes slashes, so that no docstring ends and no character
    is escaped; what would open or close a comment of C is parted.

    Examples
    --------
    >>> comment_text('arm */ system("x"); /*')
    "arm * / system('x'); / *"
    """
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in str(text)).split())
    line = line.replace('"', "'").replace("\\", "/")
    for breaking, parted in BREAKING:
        while breaking in line:
            line = line.replace(breaking, parted)
    return line


def latex_text(text: object) -> str:
    """Return a text that LaTeX sets as it stands.

    Examples
    --------
    >>> latex_text("joint_1 ^ 50 %")
    'joint\\\\_1 \\\\textasciicircum{} 50 \\\\%'
    """
    line = re.sub(r"([&%$#_{}])", r"\\\1", comment_text(text))
    return line.replace("~", r"\textasciitilde{}").replace("^", r"\textasciicircum{}")
