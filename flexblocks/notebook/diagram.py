"""Block diagram as SVG: blocks as boxes with their parameters as titles, connections as lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from flexblocks.interfaces.ports import Kind
from flexblocks.modeling.block_layout import captions, layout
from flexblocks.modeling.model import Model

HEIGHT, GAP, ROW, CHARACTER, MARGIN = 40.0, 34.0, 66.0, 7.0, 4.0  # px; a character of 12 px type is 7 px wide
# Frames are rigid, flanges turn or slide: as in `plot.model`.
LINES = {
    Kind.FRAME: 'stroke="currentColor" stroke-width="2.5"',
    Kind.ROTATIONAL: 'stroke="#0072b2" stroke-width="1.5" stroke-dasharray="6 3"',
    Kind.TRANSLATIONAL: 'stroke="#d55e00" stroke-width="1.5" stroke-dasharray="2 3"',
}


def diagram(model: Model, parameters: Mapping[str, Sequence[str]]) -> str:
    """Return the block diagram of a model; `parameters` are shown under the pointer."""
    places, kinds = layout(model), captions(model)
    width = 18 + CHARACTER * max((max(len(name), len(kinds[name])) for name in places), default=0)
    left, top = min(x for x, _ in places.values()), max(y for _, y in places.values())
    centers = {
        name: (MARGIN + width / 2 + (x - left) * (width + GAP), MARGIN + HEIGHT / 2 + (top - y) * ROW)
        for name, (x, y) in places.items()
    }
    right = max(x for x, _ in centers.values()) + width / 2 + MARGIN
    bottom = max(y for _, y in centers.values()) + HEIGHT / 2 + MARGIN
    lines = []
    for first, second, data in model.graph.edges(data=True):
        (x1, y1), (x2, y2) = centers[first], centers[second]
        title = escape(" - ".join(data["ports"]))
        lines.append(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" {LINES[data["kind"]]}>'
            f"<title>{title}: {escape(str(data['kind']))}</title></line>"
        )
    boxes = []
    for name, (x, y) in centers.items():
        told = escape("\n".join([f"{kinds[name]} {name}", *parameters[name]]))
        # Lines end behind the boxes: filled with the page's colour, which only CSS knows, white on light pages.
        boxes.append(
            f"<g><title>{told}</title>"
            f'<rect x="{x - width / 2:g}" y="{y - HEIGHT / 2:g}" width="{width:g}" height="{HEIGHT:g}" rx="6" '
            'style="fill:var(--jp-layout-color0,var(--vscode-editor-background,Canvas))" stroke="currentColor"/>'
            f'<text x="{x:g}" y="{y - 3:g}" text-anchor="middle" font-weight="600">{escape(name)}</text>'
            f'<text x="{x:g}" y="{y + 13:g}" text-anchor="middle" opacity="0.75">{escape(kinds[name])}</text></g>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{right:g}" height="{bottom:g}" '
        f'viewBox="0 0 {right:g} {bottom:g}" font-family="ui-monospace,Menlo,Consolas,monospace" font-size="11" '
        f'fill="currentColor" role="img">{"".join(lines)}{"".join(boxes)}</svg>'
    )
