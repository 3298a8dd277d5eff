"""Page of a report: one HTML file with its tables, plots, animation and the libraries that draw them."""

from __future__ import annotations

import html
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from flexblocks.export.report.content import Cards, Plot, Report, Section, Table, Text
from flexblocks.plot.animation.animation import Animation
from flexblocks.plot.animation.document import document
from flexblocks.plot.animation.packing import packed
from flexblocks.plot.animation.page import embedded, resource

LIBRARIES = ("flexblocks", "casadi", "numpy", "scipy", "pyomo")

BODY = """<div class="fr">
<header><p>{subtitle}</p><h1>{title}</h1><nav>{contents}</nav></header>
<main>
{sections}
</main>
<footer><dl>{facts}</dl></footer>
</div>
<script type="application/json" id="plots">{plots}</script>
<script>{script}</script>
<script>flexblocksReport.show(JSON.parse(document.getElementById("plots").textContent));</script>"""


def page(report: Report, command: str) -> str:
    """Return the page of a report; sections with nothing in them are left out."""
    plots: list[dict[str, Any]] = []
    sections = [section for section in report.sections if section.parts]
    facts = [("Made by", command)] if command else []
    facts.append(("With", ", ".join(f"{name} {number}" for name, number in _versions())))
    body = BODY.format(
        title=html.escape(report.title),
        subtitle=html.escape(report.subtitle),
        contents="".join(f'<a href="#s{i}">{html.escape(s.title)}</a>' for i, s in enumerate(sections)),
        sections="\n".join(_section(i, section, plots) for i, section in enumerate(sections)),
        facts="".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd>" for name, value in facts),
        plots=embedded(plots),
        script=resource("report.js"),
    )
    title = f"{report.title}: {report.subtitle}"
    return document(title, resource("report.css"), body, resource("LICENSES.txt"), frames=True)


def _section(number: int, section: Section, plots: list[dict[str, Any]]) -> str:
    parts = "\n".join(_part(part, plots) for part in section.parts)
    wide = ' class="plots"' if all(isinstance(part, Plot) for part in section.parts) else ""
    return f'<section id="s{number}"><h2>{html.escape(section.title)}</h2><div{wide}>{parts}</div></section>'


def _part(part: Any, plots: list[dict[str, Any]]) -> str:
    if isinstance(part, Text):
        return f"<pre>{html.escape(part.text)}</pre>"
    if isinstance(part, Cards):
        cards = "".join(f"<div><dt>{html.escape(n)}</dt><dd>{html.escape(v)}</dd></div>" for n, v in part.cards)
        return f'<dl class="cards">{cards}</dl>'
    if isinstance(part, Table):
        return _table(part)
    if isinstance(part, Animation):
        frame = html.escape(part.html(), quote=True)
        return f'<iframe srcdoc="{frame}" title="Animation" loading="lazy" allow="fullscreen"></iframe>'
    plots.append(_plot(part))
    return f'<figure data-plot="{len(plots) - 1}"></figure>'


def _table(table: Table) -> str:
    numeric = [all(_is_number(row[i]) for row in table.rows) for i in range(len(table.heads))]
    kinds = [' class="number"' if each else "" for each in numeric]
    head = "".join(
        f"<th{kind}>{html.escape(each.replace('_', ' '))}</th>" for each, kind in zip(table.heads, kinds, strict=True)
    )
    rows = []
    for row in table.rows:
        cells = (f"<td{kind}>{html.escape(value)}</td>" for value, kind in zip(row, kinds, strict=True))
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def _is_number(value: str) -> bool:
    try:
        float(value or 0)
    except ValueError:
        return False
    return True


def _plot(plot: Plot) -> dict[str, Any]:
    return {
        "title": plot.title,
        "x": plot.x_label,
        "y": plot.y_label,
        "log": plot.log,
        "group": plot.group,
        "bounds": plot.bounds,
        "curves": [
            {
                "label": curve.label,
                "x": packed(np.asarray(curve.x, dtype=float)),
                "y": packed(np.asarray(curve.y, dtype=float)),
                "colour": curve.color,
                "dashed": curve.dashed,
                "points": curve.points,
            }
            for curve in plot.curves
        ],
    }


def _versions() -> list[tuple[str, str]]:
    found = [("Python", platform.python_version())]
    for name in LIBRARIES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return found
