"""Measure the prose of guides: `python docs/prose.py [page ...]`; `--long` prints each long sentence, too.

Guides are the pages of the menu (docs/index.md) that are neither theory nor records; a page is measured as follows.

* Length: all its words, as `wc -w` counts them: at most 3000.
* Code blocks, formulae, tables, headings, the addresses of links and inline code count in nothing below.
* A number is what is written in digits, with its sign, decimals and exponent; a word such as "two" is none, nor is a
  digit within a name, as in `rk4` or SE(3), nor the year of a reference, its volume and its pages, nor the number of an
  equation, figure, table, section or item in a list.
* A sentence is long above 35 words; paragraphs and items of lists end one.
* History is how things used to be: iteration counts, seeds, "before", "now" and their kin.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).parent
MOST_WORDS = 3000
MOST_NUMBERS = 15.0  # in 1000 words
LONG = 35  # words of a sentence
MOST_LONG = 0.1  # share of sentences
# Captions of the menu whose pages are theory, records or written by other means.
NO_GUIDES = ("How it works", "Reference", "Benchmarks", "Project")

CODE = re.compile(r"^(`{3,}|:{3,})[^\n]*\n.*?^\1$|^\$\$.*?\$\$$|^<!--.*?-->$", re.DOTALL | re.MULTILINE)
INDENTED = re.compile(r"(?<=\n\n)(?: {4}(?! *[*-] )[^\n]*\n)+")
INLINE = re.compile(r"(`+)[^`\n]+\1|\$[^$\n]+\$")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
TABLE = re.compile(r"^ *\|.*$", re.MULTILINE)
HEADING = re.compile(r"^#.*$|^\([\w-]+\)=$", re.MULTILINE)
ITEM = re.compile(r"^ *([*-]|\d+\.) +", re.MULTILINE)
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
REFERENCE = re.compile(
    r"\b(?:eqs?|figures?|figs?|tables?|sections?|cases?) [A-Z]?\d[\d.]*(?:(?:, | and | to |-)[A-Z]?\d[\d.]*)*|"
    r"\b\d+(?:\(\d+\))? ?\(?(?:19|20)\d\d\)? \d+-\d+|\b\d+\(\d+\), (?:19|20)\d\d",
    re.IGNORECASE,
)
NUMBER = re.compile(r"(?<![\w.(])[-+]?\d[\d.,]*(e[-+]?\d+)?(?![\w(])|(?<=\()\d[\d.,]*(?= )", re.IGNORECASE)
WORD = re.compile(r"\w[\w'’/-]*")
END = re.compile(r"(?<=[.!?])[)\"*]*\s+(?=[A-Z(*\"]|code\b)")
HISTORY = re.compile(
    r"\d+ (?:IPOPT )?iterations|\bseeds? \d|\binstead of \d|\bused to (?:be|take|need)\b|"
    r"\bbefore (?:that|this) change\b|\bbefore it took\b|\bnow takes\b|\b(?:it|this) was \d",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Prose:
    """Measures of a page.

    Attributes
    ----------
    words : int
        On the whole page.
    numbers : float
        In a thousand words of running text.
    long : tuple of str
        Sentences of running text above 35 words.
    sentences : int
    history : tuple of str
        Iteration counts, seeds, and what was before.
    """

    words: int
    numbers: float
    long: tuple[str, ...]
    sentences: int
    history: tuple[str, ...]

    @property
    def share_long(self) -> float:
        """Share of long sentences."""
        return len(self.long) / max(self.sentences, 1)

    @property
    def excesses(self) -> list[str]:
        """What a guide may not have, in words; empty for a good one."""
        told = [
            (self.words > MOST_WORDS, f"{self.words} words, at most {MOST_WORDS}"),
            (self.numbers > MOST_NUMBERS, f"{self.numbers:.1f} numbers per 1000 words, at most {MOST_NUMBERS:g}"),
            (self.share_long > MOST_LONG, f"{self.share_long:.0%} of sentences are long, at most {MOST_LONG:.0%}"),
            (bool(self.history), f"history: {', '.join(self.history)}"),
        ]
        return [words for exceeds, words in told if exceeds]

    def __str__(self) -> str:
        return (
            f"{self.words:5} words {self.numbers:6.1f} numbers per 1000 {self.share_long:7.1%} long sentences "
            f"{'; '.join(self.history)}"
        ).rstrip()


def measured(text: str) -> Prose:
    """Return the measures of a Markdown text."""
    prose = INDENTED.sub("", CODE.sub("", text))
    running = LINK.sub(r"\1", INLINE.sub("code", HEADING.sub("\n", TABLE.sub("\n", prose))))
    running = ITEM.sub("\n", running)
    words = len(WORD.findall(running))
    sentences = [one for one in _sentences(running) if WORD.search(one)]
    return Prose(
        words=len(text.split()),
        numbers=1000 * len(NUMBER.findall(YEAR.sub("", REFERENCE.sub("", running)))) / max(words, 1),
        long=tuple(one for one in sentences if len(WORD.findall(one)) > LONG),
        sentences=len(sentences),
        history=tuple(found[0] for found in HISTORY.finditer(running)),
    )


def _sentences(text: str) -> list[str]:
    return [" ".join(one.split()) for paragraph in re.split(r"\n\s*\n", text) for one in END.split(paragraph)]


def guides() -> list[Path]:
    """Return the guides among the pages of the menu."""
    menu = (DOCS / "index.md").read_text(encoding="utf-8")
    pages = [DOCS / "index.md"]
    for found in re.finditer(r"^```\{toctree\}\n(.*?)^```", menu, re.DOTALL | re.MULTILINE):
        caption = re.search(r"^:caption: (.*)$", found[1], re.MULTILINE)
        if caption is not None and caption[1] in NO_GUIDES:
            continue
        names = [re.sub(r".*<(.*)>", r"\1", line) for line in found[1].splitlines() if line and line[0] != ":"]
        pages += [path for name in names if (path := DOCS / f"{name}.md").exists()]
    return pages


if __name__ == "__main__":
    shown = [Path(name).resolve() for name in sys.argv[1:] if name != "--long"] or guides()
    for page in shown:
        prose = measured(page.read_text(encoding="utf-8"))
        print(f"{page.name:28} {prose}")
        if "--long" in sys.argv:
            print(*(f"    {one}\n" for one in prose.long), sep="")
