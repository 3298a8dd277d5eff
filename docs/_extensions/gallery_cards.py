"""The cards of the gallery: of each example its title, its first sentence and the first picture that it has drawn."""

from __future__ import annotations

import html
from collections.abc import Sequence
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
        It has no picture.
    """
    doctree = app.env.get_doctree(example)
    title = next(doctree.findall(nodes.title)).astext()
    words = next(doctree.findall(nodes.paragraph)).astext()
    sentence = words.partition(". ")[0].rstrip(".") + "."
    picture = next((image["uri"] for image in doctree.findall(nodes.image)), None)
    if picture is None:
        raise ValueError(f"{example} draws no picture; each example of the gallery does.")
    up = "../" * page.count("/")
    file = app.env.images[picture][1]
    return (
        f'<a class="card" href="{app.builder.get_relative_uri(page, example)}">'
        f'<img src="{up}_images/{file}" alt="" loading="lazy"><strong>{html.escape(title)}</strong>'
        f"<span>{html.escape(sentence)}</span></a>"
    )


def setup(app: Any) -> dict[str, bool]:
    app.add_node(cards)
    app.add_directive("gallery-cards", GalleryCards)
    app.connect("doctree-resolved", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
