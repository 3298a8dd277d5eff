"""Animations of executed notebooks become files of their own, which a page loads when they come into view.

On pages of the gallery the first one stands at the top, below the first paragraph.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from docutils import nodes

FRAME = re.compile(r'<iframe srcdoc="([^"]*)"')
FOLDER = "_animations"
ABOVE = '<p class="caption">The animation at the top of this page.</p>'


def extract(app: Any, doctree: nodes.document, page: str) -> None:
    """Move the pages that stand inside frames into files, and leave their addresses."""
    if app.builder.format != "html":
        return
    up = "../" * page.count("/")
    number = 0
    for raw in list(doctree.findall(nodes.raw)):
        text = raw.astext()
        if not (found := FRAME.search(text)):
            continue
        number += 1
        name = f"{FOLDER}/{page.replace('/', '-')}-{number}.html"
        path = Path(app.outdir) / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(html.unescape(found[1]), encoding="utf-8")
        start = f'<iframe class="animation" loading="lazy" src="{up}{name}"'
        framed = text[: found.start()] + start + text[found.end() :]
        frame = nodes.raw("", framed, format="html")
        first = next(doctree.findall(nodes.paragraph), None)
        if number == 1 and page.startswith("gallery/") and first is not None:
            place = first.parent.index(first) + 1
            note = nodes.paragraph("", "The result of the code below; drag to turn it.")
            first.parent[place:place] = [frame, nodes.container("", note, classes=["caption"])]
            raw.replace_self(nodes.raw("", ABOVE, format="html"))
        else:
            raw.replace_self(frame)


def setup(app: Any) -> dict[str, bool]:
    app.connect("doctree-resolved", extract)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
