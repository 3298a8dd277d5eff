"""Where the pages and examples use a public name, and the statement that does: an example that runs in the tests."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FENCED = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
LONGEST = 14  # lines of an excerpt; what is longer is only linked


@dataclass(frozen=True)
class Use:
    """A statement that uses a public name.

    Attributes
    ----------
    source : Path
        Page or example that it stands in.
    code : str
        Empty where it is too long for an excerpt.
    """

    source: Path
    code: str


def sources() -> list[Path]:
    """Return what is searched: the notebooks, the pages, then the examples, models and blocks of the library."""
    docs = ROOT / "docs"
    return [
        *sorted((docs / "tutorials").glob("*.py")),
        *sorted(docs.glob("*.md")),
        *sorted((docs / "gallery").glob("*.py")),
        *sorted((ROOT / "optim" / "examples").glob("*.py")),
        *sorted((ROOT / "examples").glob("*.py")),
        *sorted((ROOT / "models").glob("[!_]*.py")),
        *sorted((ROOT / "flexblocks" / "blocks").glob("*/[!_]*.py")),
        *sorted((ROOT / "flexblocks" / "beam").glob("[!_]*.py")),
    ]


def uses(paths: Iterable[Path], aliases: Mapping[str, str]) -> dict[str, list[Use]]:
    """Return the uses of each public name, shortest excerpts of each source first.

    Parameters
    ----------
    paths : iterable of Path
    aliases : dict
        The documented path of each public path.
    """
    every: dict[str, list[Use]] = {}
    for path in paths:
        there: dict[str, list[str]] = {}
        for name, code in _statements(_code(path)):
            if name in aliases:
                there.setdefault(aliases[name], []).append(code)
        for name, codes in there.items():
            short = [code for code in codes if code.count("\n") < LONGEST]
            every.setdefault(name, []).append(Use(path, min(short, key=_length, default="")))
    return every


def _length(code: str) -> tuple[bool, int]:
    """Prefer calls to mere mentions, then what is short."""
    return "(" not in code, len(code)


def _code(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    return FENCED.findall(text) if path.suffix == ".md" else [text]


def _statements(blocks: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (public path, the simple statement that uses it); the blocks of a page share what they import."""
    known: dict[str, str] = {}
    for block in blocks:
        lines = block.splitlines()
        for statement in _simple(ast.parse(block)):
            if isinstance(statement, ast.Import):
                for alias in statement.names:
                    top = alias.name.partition(".")[0]
                    known[alias.asname or top] = alias.name if alias.asname else top
            elif isinstance(statement, ast.ImportFrom):
                known |= {alias.asname or alias.name: f"{statement.module}.{alias.name}" for alias in statement.names}
            else:
                first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", ()))])
                code = textwrap.dedent("\n".join(lines[first - 1 : statement.end_lineno]))
                for name in _names(statement, known):
                    yield name, code


def _simple(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield statements without a body of their own, and classes, whose bases are what they use."""
    for child in getattr(node, "body", []) + getattr(node, "orelse", []):
        if isinstance(child, ast.ClassDef):
            yield child
        if hasattr(child, "body"):
            yield from _simple(child)
        else:
            yield child


def _names(statement: ast.stmt, known: Mapping[str, str]) -> set[str]:
    """Return the dotted names in a statement, with what they were imported as."""
    found = set()
    for node in ast.walk(statement):
        parts: list[str] = []
        inner = node
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and inner.id in known:
            found.add(".".join([known[inner.id], *reversed(parts)]))
    return found
