"""Page: one HTML file with the scene, the viewer and the libraries that draw it."""

from __future__ import annotations

import html
import json
from importlib.resources import files
from typing import Any

from flexblocks.plot.animation.scene import Scene, scene_data

# The browser itself refuses every request.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "connect-src 'none'; worker-src 'none'"
)

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="generator" content="flexblocks">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="flexblocks"></div>
<script type="application/json" id="scene">{scene}</script>
<script>{script}</script>
<script>
const scene = JSON.parse(document.getElementById("scene").textContent);
flexblocksViewer.show(document.getElementById("flexblocks"), scene);
</script>
<!-- {licences} -->
</body>
</html>
"""


def page(scene: Scene) -> str:
    """Return the page of a scene; it loads nothing."""
    return PAGE.format(
        policy=POLICY,
        title=html.escape(scene.title),
        style=resource("viewer.css"),
        script=resource("viewer.js"),
        scene=embedded(scene_data(scene)),
        licences=resource("LICENSES.txt").replace("--", "=="),
    )


def resource(name: str) -> str:
    """Return a file of the bundle."""
    return files("flexblocks.plot.animation").joinpath("bundle", name).read_text(encoding="utf-8")


def embedded(data: Any) -> str:
    """Return plain data as JSON that can stand in a script element."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
