"""Animations of executed notebooks become files of their own, which a page loads when they come into view."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from docutils import nodes

FRAME = re.compile(r'<iframe srcdoc="([^"]*)"')
FOLDER = "_animations"


def extract(app: Any, doctree: nodes.document, page: str) -> None:
    """Move the pages that stand inside frames into files, and leave their addresses."""
    if app.builder.format != "html":
        return
    up = "../" * page.count("/")
    number = 0
    for raw in doctree.findall(nodes.raw):
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
        raw.replace_self(nodes.raw("", framed, format="html"))


def setup(app: Any) -> dict[str, bool]:
    app.connect("doctree-resolved", extract)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
