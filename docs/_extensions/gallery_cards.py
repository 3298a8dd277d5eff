"""The cards of the gallery: of each example its title, its first sentence and its machine in space.

Pictures are those of docs/pictures/gallery, which docs/pictures/viewer_pictures.py draws from the animations.
"""

from __future__ import annotations

import html
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class cards(nodes.General, nodes.Element):  # named as docutils names its nodes
    """Place where the cards go once all examples have run."""


class GalleryCards(SphinxDirective):
    """``gallery-cards``: a card for each page that its content names, one a line."""

    has_content = True

    def run(self) -> Sequence[nodes.Node]:
        return [cards(pages=[line.strip() for line in self.content if line.strip()])]


def fill(app: Any, doctree: nodes.document, page: str) -> None:
    """Put in the cards."""
    for node in list(doctree.findall(cards)):
        made = "".join(card(app, page, each) for each in node["pages"])
        node.replace_self(nodes.raw("", f'<div class="gallery">{made}</div>', format="html"))


def card(app: Any, page: str, example: str) -> str:
    """Return the card of an example.

    Raises
    ------
    ValueError
        Its picture is missing.
    """
    doctree = app.env.get_doctree(example)
    title = next(doctree.findall(nodes.title)).astext()
    words = next(doctree.findall(nodes.paragraph)).astext()
    sentence = words.partition(". ")[0].rstrip(".") + "."
    name = Path(example).name
    picture = Path(app.srcdir) / "pictures" / "gallery" / f"{name}.png"
    if not picture.exists():
        raise ValueError(f"{picture} is missing: python docs/pictures/viewer_pictures.py draws it.")
    folder = Path(app.outdir) / "_images" / "gallery"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(picture, folder)
    up = "../" * page.count("/")
    return (
        f'<a class="card" href="{app.builder.get_relative_uri(page, example)}">'
        f'<img src="{up}_images/gallery/{name}.png" alt="" loading="lazy"><strong>{html.escape(title)}</strong>'
        f"<span>{html.escape(sentence)}</span></a>"
    )


def setup(app: Any) -> dict[str, bool]:
    app.add_node(cards)
    app.add_directive("gallery-cards", GalleryCards)
    app.connect("doctree-resolved", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
