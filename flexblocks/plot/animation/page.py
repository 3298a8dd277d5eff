"""Page: one HTML file with the scene, the viewer and the libraries that draw it."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from flexblocks.plot.animation.document import document
from flexblocks.plot.animation.scene import Scene, scene_data

BODY = """<div id="flexblocks"></div>
<script type="application/json" id="scene">{scene}</script>
<script>{script}</script>
<script>
const scene = JSON.parse(document.getElementById("scene").textContent);
flexblocksViewer.show(document.getElementById("flexblocks"), scene);
</script>"""


def page(scene: Scene) -> str:
    """Return the page of a scene; it loads nothing."""
    body = BODY.format(scene=embedded(scene_data(scene)), script=resource("viewer.js"))
    return document(scene.title, resource("viewer.css"), body, resource("LICENSES.txt"))


def resource(name: str) -> str:
    """Return a file of the bundle."""
    return files("flexblocks.plot.animation").joinpath("bundle", name).read_text(encoding="utf-8")


def embedded(data: Any) -> str:
    """Return plain data as JSON that can stand in a script element."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
