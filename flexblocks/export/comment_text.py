"""Escaping of user text in generated comments, so that it is inert in every language."""

from __future__ import annotations

import re

# Delimiters of C comments, and C trigraphs (??/ is a backslash).
BREAKING = (("/*", "/ *"), ("*/", "* /"), ("??", "? ?"))


def comment_text(text: object) -> str:
    """Escape text for a comment in C, MATLAB or LaTeX, or for a Python docstring.

    The result is one line of printable characters: line breaks of any kind, control characters and bidirectional marks
    become spaces. Quotes become apostrophes and backslashes slashes, so that they neither end the docstring nor
    form an escape sequence; C comment delimiters are broken up by a space.

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
    """Escape text for LaTeX, so that it is typeset literally.

    Examples
    --------
    >>> latex_text("joint_1 ^ 50 %")
    'joint\\\\_1 \\\\textasciicircum{} 50 \\\\%'
    """
    line = re.sub(r"([&%$#_{}])", r"\\\1", comment_text(text))
    return line.replace("~", r"\textasciitilde{}").replace("^", r"\textasciicircum{}")
