"""One spelling, one English: names of the code are American (center, linearize), its prose is British (centre).

Prose is written as an engineer writes it, without idioms that a reader whose language is another one has to guess.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted(path for room in ("flexblocks", "optim", "models") for path in (ROOT / room).rglob("*.py"))
STEMS = "discreti|generali|lineari|locali|maximi|minimi|normali|optimi|organi|recogni|seriali|stabili|summari|symmetri"
# Futures of Python are cancelled.
BRITISH = re.compile(
    rf"centre|colour|neighbour|behaviour|catalogue|licence|metre|travell|cancell(?!ed)|grey(?!_?box)|({STEMS})s(?=[aei])",
    re.I,
)
# Words of prose in the other spelling; what stands between quotes or is set as code is a name.
AMERICAN = re.compile(r"\b(center|color|neighbor|behavior|gray|modeled|traveling)(s|ed|ing)?\b", re.I)
# Idioms, and what an engineer writes.
IDIOMS = {
    r"tells?|told|telling": "shows, states, reports; distinguishes; determines; receives",
    r"ask(s|ed|ing)?": "requires, requests, needs; the requested problem; calls",
    r"(had|has|have|or) no end(?! in)": "does not converge",
    r"counts? as none": "is negligible",
    r"let(s|ting)? go( of)?": "releases",
    r"less than nothing": "negative",
    r"whirl(s|ing)?": "spins",
    r"from cold": "without a warm start",
    r"nobody|whoever": "name who: the caller, the user, the writer",
}
IDIOM = re.compile(rf"\b({'|'.join(IDIOMS)})\b", re.I)
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


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """Yield comments, docstrings and messages, line by line: strings without a space are names."""
    for token in tokens(path):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and " " in token.string):
            text = re.sub(r"\{[^{}]*\}", "", token.string)  # expressions of f-strings
            yield from enumerate(text.split("\n"), token.start[0])


PLAIN = [*SOURCES, *sorted((ROOT / "benchmarks").rglob("*.py"))]


@pytest.mark.parametrize("room", ["flexblocks", "optim", "models", "benchmarks"])
def test_prose_is_plain(room: str) -> None:
    found = {
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in PLAIN
        if path.is_relative_to(ROOT / room)
        for number, line in prose(path)
        if IDIOM.search(re.sub(r"``?[^`]*``?|^ *\w+(, \w+)* : .*", "", line))
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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_are_plain(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.S)
    assert not [line for line in text.splitlines() if IDIOM.search(line)]
