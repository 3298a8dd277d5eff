"""The rooms of flexblocks and what they import, drawn from the code itself: ``python docs/pictures/rooms.py``.

Writes ``rooms.svg`` beside this file. Every import statement counts, also those inside functions and those for type
checkers only. An arrow goes from a room to one that it imports; where the way leads over other rooms the direct arrow
is left out (transitive reduction). A room stands above everything that it imports.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import networkx as nx

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PACKAGES = {"flexblocks": ROOT / "flexblocks", "flexblocks.models": ROOT / "models", "flexblocks.optim": ROOT / "optim"}
EXAMPLES = ROOT / "optim" / "examples"  # scripts for readers, no part of the package

WIDTH, BOX_HEIGHT, ROW, MARGIN, GAP = 980, 30, 62, 24, 14  # px
CHARACTER, PADDING = 7.6, 24  # px of a character of the label, and around it
FONT = "ui-monospace, Menlo, Consolas, monospace"


def modules() -> dict[str, Path]:
    """Return the files of the package by the name of the module."""
    named = {}
    for package, folder in PACKAGES.items():
        for path in folder.rglob("*.py"):
            if not path.is_relative_to(EXAMPLES):
                parts = path.relative_to(folder).with_suffix("").parts
                named[".".join([package, *parts]).removesuffix(".__init__")] = path
    return dict(sorted(named.items()))


@cache
def parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a file; each picture looks at all of them."""
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(name: str, path: Path, known: dict[str, Path]) -> Iterator[str]:
    """Yield the modules of the package that a file imports."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "fb":
            yield from (module for module in (offered().get(node.attr),) if module)  # import flexblocks as fb
        elif isinstance(node, ast.ImportFrom):
            steps = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            source = ".".join([*steps, *([node.module] if node.module else [])])
            inner = [f"{source}.{alias.name}" for alias in node.names]
            yield from (one if one in known else source for one in inner if one in known or source in known)


@cache
def offered() -> dict[str, str]:
    """Return the public names of flexblocks and the modules that they come from."""
    tree = ast.parse((PACKAGES["flexblocks"] / "__init__.py").read_text(encoding="utf-8"))
    return {
        alias.name: node.module or "" for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }


def rooms(inside: str) -> nx.DiGraph:
    """Return which room directly inside a package imports which other."""
    known, graph = modules(), nx.DiGraph()

    def room(module: str) -> str | None:
        return module.removeprefix(f"{inside}.").split(".")[0] if module.startswith(f"{inside}.") else None

    for name, path in known.items():
        if here := room(name):
            graph.add_node(here)
            graph.add_edges_from((here, there) for one in imports(name, path, known) if (there := room(one)))
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    return graph


def rows(graph: nx.DiGraph) -> list[list[str]]:
    """Return the rooms by height, the highest first, each one step above the highest that it imports.

    Raises
    ------
    networkx.NetworkXUnfeasible
        Rooms import each other in a circle.
    """
    height: dict[str, int] = {}
    for name in nx.lexicographical_topological_sort(graph.reverse()):
        height[name] = 1 + max((height[below] for below in graph.successors(name)), default=-1)
    levels = [sorted(name for name in height if height[name] == h) for h in range(max(height.values()) + 1)]
    return levels[::-1]


def picture() -> str:
    """Return the rooms of flexblocks, and beside them those of optim, as SVG."""
    left, height = _panel("flexblocks", 0)
    right, other = _panel("flexblocks.optim", WIDTH // 2)
    height = max(height, other)
    style = (
        "text{font:13px " + FONT + ";text-anchor:middle;fill:#1f2933}"
        ".title{font-weight:bold;font-size:15px}"
        "rect{fill:#f3f6f9;stroke:#52708c;rx:5}path{fill:none;stroke:#52708c;stroke-opacity:.55;marker-end:url(#head)}"
    )
    head = (
        '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<polygon points="0,0 8,4 0,8" fill="#52708c"/></marker>'
    )
    ground = f'<polygon points="0,0 {WIDTH},0 {WIDTH},{height} 0,{height}" fill="#ffffff"/>'
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">'
    )
    return "\n".join([opening, f"<style>{style}</style><defs>{head}</defs>", ground, *left, *right, "</svg>", ""])


def _panel(inside: str, x0: int) -> tuple[list[str], int]:
    """Return the elements of one package's rooms, and how high the panel is [px]."""
    graph = rooms(inside)
    levels, width = rows(graph), WIDTH // 2
    middle = x0 + width / 2
    boxes: dict[str, tuple[float, float, float]] = {}  # centre and width
    for i, level in enumerate(levels):
        widths = [len(name) * CHARACTER + PADDING for name in level]
        x = middle - (sum(widths) + GAP * (len(level) - 1)) / 2
        for name, wide in zip(level, widths, strict=True):
            boxes[name] = (x + wide / 2, MARGIN + 30 + ROW * i + BOX_HEIGHT / 2, wide)
            x += wide + GAP
    drawn = [f'<text class="title" x="{middle:g}" y="{MARGIN - 2}">{inside}</text>']
    for above, below in sorted(nx.transitive_reduction(graph).edges):
        (x1, y1, _), (x2, y2, _) = boxes[above], boxes[below]
        y1, y2 = y1 + BOX_HEIGHT / 2, y2 - BOX_HEIGHT / 2
        # A long way bends out to the side, past the boxes between.
        out = 0.0 if y2 - y1 < ROW else (1 if x1 + x2 >= 2 * middle else -1) * min(150.0, 40 + 0.28 * (y2 - y1))
        ends = f"{x1 + out:.1f},{y1 + 24:.1f} {x2 + out:.1f},{y2 - 24:.1f} {x2:.1f},{y2:.1f}"
        drawn.append(f'<path d="M{x1:.1f},{y1:.1f} C{ends}"/>')
    for name, (x, y, wide) in boxes.items():
        drawn.append(
            f'<rect x="{x - wide / 2:.1f}" y="{y - BOX_HEIGHT / 2:.1f}" width="{wide:.1f}" height="{BOX_HEIGHT}"/>'
            f'<text x="{x:.1f}" y="{y + 4.5:.1f}">{name}</text>'
        )
    return drawn, MARGIN * 2 + 30 + ROW * len(levels)


if __name__ == "__main__":
    (HERE / "rooms.svg").write_text(picture(), encoding="utf-8")
