"""The way of a plan, drawn from the table of relaxations itself: ``python docs/pictures/plan_way.py``.

Writes ``plan_way.svg`` beside this file: what is solved, what happens where a solve fails, and how levels are taken
back. The table on the right has the relaxations in the order of the code, each with the first line of its docstring.
"""

from __future__ import annotations

import inspect
from html import escape
from pathlib import Path
from textwrap import wrap

from flexblocks.optim.strategy.relaxations.table import RELAXATIONS
from flexblocks.optim.strategy.solver import ITERATIONS

HERE = Path(__file__).parent
WIDTH, BOX, ROW, TOP, LEFT = 980, (330, 46), 86, 30, 40  # px
TABLE, LINE, FONT = 420, 17, "ui-sans-serif, Helvetica, Arial, sans-serif"

STEPS = (
    ("Request", "arm, parameters, problem, transcription"),
    ("First guess", "of the user, along a line, or of the rigid arm"),
    ("Solve", "with those relaxations that are known to be needed"),
    ("Take back", "one level after another, from the motion before"),
    ("All levels at 0, or one that may stay", "its plan, with a warning of what stays"),
)
FAILS = {
    2: "fails: raise the next relaxation that applies",
    3: "fails: a shorter step, another guess, another relaxation",
}


def picture() -> str:
    """Return the drawing as SVG."""
    width, height = BOX
    parts = []
    for i, (title, text) in enumerate(STEPS):
        y = TOP + i * ROW
        parts.append(f'<rect x="{LEFT}" y="{y}" width="{width}" height="{height}" rx="6" class="box"/>')
        parts.append(f'<text x="{LEFT + width / 2}" y="{y + 19}" class="head">{escape(title)}</text>')
        parts.append(f'<text x="{LEFT + width / 2}" y="{y + 36}" class="text">{escape(text)}</text>')
        if i:
            parts.append(f'<path d="M{LEFT + 20} {y - ROW + height} V{y - 3}" class="way"/>')
        if i in FAILS:
            out, back = y + height - 12, y + 12
            parts.append(f'<path d="M{LEFT + width} {out} h16 V{back} h-13" class="way"/>')
            parts.append(f'<text x="{LEFT + 34}" y="{y + height + 24}" class="note">{escape(FAILS[i])}</text>')
    last = TOP + len(STEPS) * ROW - 12
    parts.append(
        f'<text x="{LEFT}" y="{last}" class="note">Nothing is left to try, or {ITERATIONS} iterations are over: all '
        "limits at a penalty; what is left of it is the conflict.</text>"
    )
    y = TOP + 14
    parts.append(f'<text x="{TABLE}" y="{y}" class="cell head-left">Relaxations, in the order of the table</text>')
    for kind in RELAXATIONS:
        first = (inspect.getdoc(kind) or "").splitlines()[0]
        y += LINE + 8
        parts.append(f'<text x="{TABLE}" y="{y}" class="cell name">{escape(kind.name)}</text>')
        stays = " A plan may end with it." if kind.stays else ""
        for line in wrap(first + stays, 62):
            parts.append(f'<text x="{TABLE + 120}" y="{y}" class="cell">{escape(line)}</text>')
            y += LINE
        y -= LINE
    tall = max(last, y) + TOP
    style = (
        f"text{{font-family:{FONT};font-size:12.5px;fill:#222}} .head{{text-anchor:middle;font-weight:600}}"
        " .head-left{font-weight:600} .text{text-anchor:middle;fill:#444} .note{fill:#8a3b12;font-size:12px}"
        " .name{font-weight:600} .box{fill:#eef3f8;stroke:#4a6b8a} .way{fill:none;stroke:#4a6b8a;marker-end:url(#tip)}"
    )
    tip = (
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z" fill="#4a6b8a"/></marker></defs>'
    )
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {tall}" width="{WIDTH}" height="{tall}">'
        f'<style>{style}</style>{tip}<rect width="100%" height="100%" fill="#fff"/>\n{body}\n</svg>\n'
    )


if __name__ == "__main__":
    (HERE / "plan_way.svg").write_text(picture(), encoding="utf-8")
