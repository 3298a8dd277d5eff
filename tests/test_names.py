"""One spelling: names of the code are American (center, color, linearize), its prose is British (centre, colour)."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted(path for room in ("flexblocks", "optim", "models") for path in (ROOT / room).rglob("*.py"))
STEMS = "discret|generali|lineari|locali|maximi|minimi|normali|optimi|organi|recogni|seriali|stabili|summari|symmetri"
# Futures of Python are cancelled.
BRITISH = re.compile(
    rf"centre|colour|neighbour|behaviour|catalogue|licence|metre|travell|cancell(?!ed)|grey(?!_?box)|({STEMS})s(?=[aei])",
    re.I,
)
# Words of prose in the other spelling; what stands between quotes or is set as code is a name.
AMERICAN = re.compile(r"\b(center|color|neighbor|behavior|gray|modeled|traveling)(s|ed|ing)?\b", re.I)
CODE = re.compile(r"``?[^`]*``?|\"[^\"]*\"|'[^']*'|--\w+|\w+=|\w*[._\[]\w*")


def tokens(path: Path) -> Iterator[tokenize.TokenInfo]:
    return tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)


@pytest.mark.parametrize("room", ["flexblocks", "optim", "models"])
def test_names_are_spelled_as_in_america(room: str) -> None:
    paths = [path for path in SOURCES if path.is_relative_to(ROOT / room)]
    found = {
        f"{path.relative_to(ROOT)}:{token.start[0]}: {token.string}"
        for path in paths
        for token in tokens(path)
        if token.type == tokenize.NAME and BRITISH.search(token.string.replace("GreyBox", ""))
    }
    assert not found
    assert not [path for path in paths if BRITISH.search(path.stem.replace("grey_box", ""))]


@pytest.mark.parametrize("room", ["flexblocks", "optim", "models"])
def test_comments_are_spelled_as_in_britain(room: str) -> None:
    found = {
        f"{path.relative_to(ROOT)}:{token.start[0]}: {token.string}"
        for path in SOURCES
        if path.is_relative_to(ROOT / room)
        for token in tokens(path)
        if token.type == tokenize.COMMENT and AMERICAN.search(CODE.sub("", token.string))
    }
    assert not found


PAGES = [
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "benchmarks").glob("*.md")),
    ROOT / "README.md",
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_are_spelled_as_in_britain(page: Path) -> None:
    prose = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    lines = [line for line in prose.splitlines() if not line.startswith("    ")]
    assert not [line for line in lines if AMERICAN.search(CODE.sub("", line))]
