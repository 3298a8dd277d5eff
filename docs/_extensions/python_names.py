"""References to Python names as docstrings write them, `Model.check`, find the page of flexblocks.Model."""

from __future__ import annotations

from typing import Any

from docutils.nodes import Element
from sphinx.util.nodes import make_refnode


def resolve(app: Any, env: Any, node: Element, content: Element) -> Element | None:
    """Return a link to the one public name that ends in what is referred to; None leaves it as it is written."""
    if node.get("refdomain") != "py":
        return None
    wanted = node["reftarget"].removeprefix("fb.")
    if "." not in wanted and wanted.islower():
        return None  # a parameter, most likely; functions of the same package have been found already
    objects = env.get_domain("py").objects
    ends = [name for name in objects if name == wanted or name.endswith(f".{wanted}")]
    # Of the same name are a verb of one package and a class of another: only what is plain is linked.
    places = {(objects[name].docname, objects[name].node_id) for name in ends if not objects[name].aliased}
    if len(places) != 1:
        return None
    page, anchor = places.pop()
    return make_refnode(app.builder, node["refdoc"], page, anchor, content, wanted)


def setup(app: Any) -> dict[str, bool]:
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
