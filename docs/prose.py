"""Measure the prose of guides: `python docs/prose.py [page ...]`.

Words count in tables too, and nothing counts in code blocks; inline code is one word and no number. Numbers and long
sentences are those of running text. Words that are numbers, as "two", count as words alone.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

LONG = 35  # words of a sentence

CODE = re.compile(r"^(`{3,}|:{3,})[^\n]*\n.*?^\1$|^\$\$.*?\$\$$|^(?: {4}[^\n]*\n)+", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`[^`\n]+`|\$[^$\n]+\$")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
TABLE = re.compile(r"^\|.*$", re.MULTILINE)
RULE = re.compile(r"^\|[-:| ]+\|$", re.MULTILINE)
ITEM = re.compile(r"^ *([*-]|\d+\.) +", re.MULTILINE)
NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d.,]*(e[-+]?\d+)?", re.IGNORECASE)
WORD = re.compile(r"\w[\w'’/-]*")
END = re.compile(r"(?<=[.!?])[)\"*]*\s+(?=[A-Z(*\"]|code\b)")


@dataclass(frozen=True)
class Prose:
    """Measures of a page.

    Attributes
    ----------
    words : int
        Outside code blocks, tables included.
    numbers : float
        In a thousand words of running text.
    long : float
        Share of its sentences above 35 words.
    """

    words: int
    numbers: float
    long: float

    def __str__(self) -> str:
        return f"{self.words} words, {self.numbers:.1f} numbers per 1000 words, {self.long:.1%} long sentences"


def measured(text: str) -> Prose:
    """Return the measures of a Markdown text."""
    whole = LINK.sub(r"\1", INLINE.sub("code", CODE.sub("", text)))
    running = ITEM.sub("\n", TABLE.sub("", whole))
    words = len(WORD.findall(running))
    sentences = [one for one in _sentences(running) if one]
    return Prose(
        words=len(WORD.findall(RULE.sub("", whole))),
        numbers=1000 * len(NUMBER.findall(running)) / max(words, 1),
        long=sum(one > LONG for one in sentences) / max(len(sentences), 1),
    )


def _sentences(text: str) -> list[int]:
    """Return the words of each sentence; headings and items of lists end one."""
    paragraphs = re.split(r"\n\s*\n|^#.*$", text, flags=re.MULTILINE)
    return [len(WORD.findall(one)) for paragraph in paragraphs for one in END.split(paragraph) if one]


if __name__ == "__main__":
    pages = [Path(name) for name in sys.argv[1:]] or sorted(Path(__file__).parent.glob("*.md"))
    for page in pages:
        print(f"{page.name:32} {measured(page.read_text(encoding='utf-8'))}")
